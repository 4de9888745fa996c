import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { testKey } from './gate.ts';

const program = fileURLToPath(new URL('../../dist/server/cli.js', import.meta.url));

export interface GateProcess extends AsyncDisposable {
  readonly origin: string;
  /** Lines of its log. */
  readonly log: Record<string, unknown>[];
  /** Ends it as a power cut would: it can do nothing more. */
  crash(): Promise<void>;
}

/** The built gate as a process of its own, with its store in this folder: several of them share it. */
export async function startGateProcess(
  folder: string,
  port: number,
  settings: Record<string, unknown>,
  env: Record<string, string> = {},
): Promise<GateProcess> {
  const path = join(folder, `gate-${port}.json`);
  const session = { store: `sqlite:${join(folder, 'gate.db')}`, keys: [{ env: 'GATE_KEY' }] };
  writeFileSync(path, JSON.stringify({ listen: `127.0.0.1:${port}`, session, ...settings }));
  const child = spawn(process.execPath, [program, '--config', path], {
    env: { PATH: process.env.PATH, GATE_KEY: testKey, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const log: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', line => log.push(JSON.parse(line)));
  await vi.waitFor(() => expect(log.some(line => line.message === 'the gate is listening')).toBe(true), { timeout: 30_000 });
  return {
    origin: `http://127.0.0.1:${port}`,
    log,
    async crash() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
