import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../dist/server/cli.js', import.meta.url));

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** `octavo …`, the built program in its own process. It gets only the path from this process's environment. */
export function octavo(args: readonly string[], given: Record<string, string> = {}, cwd?: string): Promise<Ended> {
  const env = { PATH: process.env.PATH ?? '', ...given };
  return new Promise(resolve => {
    execFile(process.execPath, [program, ...args], { env, cwd }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
}
