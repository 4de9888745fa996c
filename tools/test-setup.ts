import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../apps/notebook/test/support/postgres.ts';
import { buildIfStale } from './build.ts';
import { oneAtATime } from './one-at-a-time.ts';

const buildLock = fileURLToPath(new URL('../node_modules/.cache/octavo-build.lock', import.meta.url));

/** A compile cache, where processes that tests start from sources find them without types and compiled: it saves half a second each. */
const compiled = fileURLToPath(new URL('../node_modules/.cache/octavo-test-processes', import.meta.url));

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of a running PostgreSQL's maintenance database: `createDatabase(inject('postgresUrl'))` creates a separate one. */
    postgresUrl: string;
  }
}

/**
 * Runs once for the whole run: the program is built if it is older than its sources, and one real PostgreSQL serves every file.
 * Chromium is unpacked by the first test that launches it (tools/chromium.ts), so a run without browsers does not pay for it.
 * `OCTAVO_TEST_SETUP=none` skips all of it, for quick runs of tests that need neither.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  process.env.NODE_COMPILE_CACHE ??= compiled;
  if (process.env.OCTAVO_TEST_SETUP === 'none') return undefined;
  // Beside the start of PostgreSQL, which mostly waits for the disk.
  const built = oneAtATime(buildLock, buildIfStale);
  built.catch(() => {});
  const postgres = await startPostgres({ isLasting: false });
  project.provide('postgresUrl', postgres.url);
  try {
    await built;
    // For the workers, which are started after this: `apps/notebook/test/support/built-programs.ts`.
    process.env.OCTAVO_TEST_PROGRAMS = 'built';
  } catch (error) {
    if (process.env.CI) {
      await postgres.stop();
      throw error;
    }
    console.error(`The program cannot be built: ${error}`);
  }
  return () => postgres.stop();
}
