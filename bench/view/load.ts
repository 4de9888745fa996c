import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { processorMicros } from '../processor-time.ts';
import { clientCore, pinned } from './pinned.ts';

export interface Measured {
  /** Answers per second. */
  readonly rate: number;
  /** Processor time of the server per answer, in microseconds: a busy machine affects it little. */
  readonly micros: number;
  /** The median answer time, in milliseconds. */
  readonly p50: number;
}

export interface Ask {
  readonly origin: string;
  readonly pid: number;
  /** Requested in turn. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** The number of loads that run at once: each opens its part of the connections. */
  readonly share?: number;
}

export const connections = 32;

const units = { us: 0.001, ms: 1, s: 1_000 } as const;

/** Runs `wrk` on a separate core: 32 kept-alive connections, each asking again as soon as it is answered. */
export async function load({ origin, pid, paths, headers, share = 1 }: Ask, seconds: number): Promise<Measured> {
  const script = join(tmpdir(), `octavo-wrk-${process.pid}-${pid}.lua`);
  const list = join(tmpdir(), `octavo-wrk-${process.pid}-${pid}.txt`);
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const many = paths.length > 1 ? ['-s', script] : [];
  if (paths.length > 1) {
    writeFileSync(list, paths.join('\n'));
    writeFileSync(script, luaOf(list));
  }
  try {
    const [command, ...args] = pinned(clientCore, [
      'wrk',
      ...['-t1', `-c${connections / share}`, `-d${seconds}s`, '--latency', ...lines, ...many],
      origin + paths[0],
    ]);
    const before = processorMicros(pid);
    const { stdout } = await promisify(execFile)(command!, args);
    if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`not every answer was a page:\n${stdout}`);
    const answers = Number(/ (\d{1,12}) requests in/.exec(stdout)?.[1]);
    const [, value, unit] = /50%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? [];
    return {
      rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
      micros: (processorMicros(pid) - before) / answers,
      p50: Number(value) * units[unit as keyof typeof units],
    };
  } finally {
    for (const file of [script, list]) rmSync(file, { force: true });
  }
}

/** Reads from a file, because a script may not contain more than 65,536 strings. */
function luaOf(list: string): string {
  return `local paths = {}
for line in io.lines(${JSON.stringify(list)}) do paths[#paths + 1] = line end
local at = 0
request = function()
  at = at % #paths + 1
  return wrk.format(nil, paths[at])
end
`;
}
