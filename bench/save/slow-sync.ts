import { join } from 'node:path';
import { compilePreloaded } from '../preloaded.ts';

/**
 * The environment of a process whose every wait for the disk takes this long, on any disk.
 * @returns undefined when no C compiler is installed
 */
export function slowSyncs(folder: string, micros: number): Record<string, string> | undefined {
  const library = compilePreloaded(folder, join(import.meta.dirname, 'slow-sync.c'));
  return library === undefined ? undefined : { LD_PRELOAD: library, SYNC_MICROS: String(micros) };
}
