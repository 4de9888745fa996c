import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function isInstalled(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A program in the foreground that answers at an address; ended by its own process id. */
export async function startProgram(
  command: string,
  words: readonly string[],
  origin: string,
  env: NodeJS.ProcessEnv = {},
): Promise<AsyncDisposable> {
  const child: ChildProcess = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => {
      said = `${said}${chunk}`.slice(-4000);
    });
  const ended = once(child, 'exit');
  for (let tries = 0; ; tries += 1) {
    if ((await fetch(origin).catch(() => undefined)) !== undefined) break;
    if (tries > 300 || child.exitCode !== null) throw new Error(`${command} does not answer: ${said}`);
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export function temporaryFolder(name: string): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), `octavo-${name}-`));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
