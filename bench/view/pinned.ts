import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** The measured server and the measuring client get a core each, if there are two. */
export const serverCore = 0;
export const clientCore = 1;

export function pinned(core: number, command: readonly string[]): string[] {
  return canPin ? ['taskset', '-c', String(core), ...command] : [...command];
}
