import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Compiles a C file into a library for a program's `LD_PRELOAD`.
 * @returns its path; undefined when no C compiler is installed
 */
export function compilePreloaded(folder: string, source: string): string | undefined {
  const library = join(folder, `${basename(source, '.c')}.so`);
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source], { stdio: 'inherit' });
  if (status !== 0) return undefined;
  // A database server runs as another user.
  chmodSync(folder, 0o755);
  return library;
}
