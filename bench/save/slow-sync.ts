import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The environment of a process whose every wait for the disk takes this long, on any disk.
 * @returns undefined when no C compiler is installed
 */
export function slowSyncs(folder: string, micros: number): Record<string, string> | undefined {
  const library = join(folder, 'slow-sync.so');
  const source = join(import.meta.dirname, 'slow-sync.c');
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source], { stdio: 'inherit' });
  if (status !== 0) return undefined;
  // The database server runs as another user.
  chmodSync(folder, 0o755);
  return { LD_PRELOAD: library, SYNC_MICROS: String(micros) };
}
