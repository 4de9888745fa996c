import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { oneFile } from '../../support/one-file.ts';

export interface Child {
  /** Everything it has printed so far. */
  readonly output: () => string;
  /** Ends when the line was printed; fails when the child ends before. */
  line(pattern: RegExp): Promise<string>;
  tell(line: string): void;
  /** Ends when the process has and all of its output was read. */
  kill(signal: NodeJS.Signals): Promise<void>;
  ended(): Promise<number | null>;
}

/** Runs a script of this folder in a process of its own. */
export async function startChild(script: string, args: readonly string[]): Promise<Child> {
  const path = await oneFile(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: 'pipe' });
  const closed = once(child, 'close') as Promise<[number | null]>;
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk));
  return {
    output: () => output,
    line: pattern =>
      findLine(
        child,
        () => output,
        pattern,
        () => errors,
      ),
    tell: line => child.stdin.write(`${line}\n`),
    async kill(signal) {
      child.kill(signal);
      await closed;
    },
    ended: async () => (await closed)[0],
  };
}

function findLine(child: ChildProcessWithoutNullStreams, output: () => string, pattern: RegExp, errors: () => string) {
  return new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = output()
        .split('\n')
        .slice(0, -1)
        .find(line => pattern.test(line));
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', look);
    child.once('close', code => reject(new Error(`The child ended (${code}) without ${pattern}:\n${output()}\n${errors()}`)));
    look();
  });
}
