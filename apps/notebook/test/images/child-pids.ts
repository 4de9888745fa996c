import { readFileSync } from 'node:fs';

/** The children of this process. */
export function childPids(): number[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** The most memory that a process ever had. */
export function peakMegabytes(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/** The process that a check starts. */
export async function pidOf(start: () => Promise<unknown>): Promise<number> {
  const before = new Set(childPids());
  await start();
  const [pid] = childPids().filter(child => !before.has(child));
  return pid!;
}
