import { existsSync } from 'node:fs';
import { findOwnProgram as findSource } from '../../src/own-program.ts';

export { lowerPriority } from '../../src/own-program.ts';

/**
 * Stands for `own-program.ts` in a test's process (`vitest.config.ts`): the threads and processes of services inside the tests are those of
 * the build, if this run has seen that it is no older than the sources (`tools/test-setup.ts`). Nearly every service starts some, and
 * loading one from its sources takes two to four times as long.
 */
export function findOwnProgram(name: string, beside: string): URL {
  const program = new URL(`../../dist/server/${name}.js`, import.meta.url);
  // A test's own program is not in the build.
  return process.env.OCTAVO_TEST_PROGRAMS === 'built' && existsSync(program) ? program : findSource(name, beside);
}
