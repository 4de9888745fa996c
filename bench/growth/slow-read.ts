import { join } from 'node:path';
import { compilePreloaded } from '../preloaded.ts';

/**
 * The environment of a process for which reads from the disk take this much longer.
 * @throws when no C compiler is installed
 */
export function slowReads(folder: string, micros: number): Record<string, string> {
  const library = compilePreloaded(folder, join(import.meta.dirname, 'slow-read.c'));
  if (library === undefined) throw new Error('BENCH_READ_MICROS needs a C compiler.');
  return { LD_PRELOAD: library, READ_MICROS: String(micros) };
}
