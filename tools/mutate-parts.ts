import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** Files of `src/` that are changed together, and the tests that are run against each change. */
export interface MutationPart {
  /** Globs; one that begins with `!` leaves out. */
  sources: string[];
  tests: string[];
  /** A process for each change: what is made once in a process is made with it. */
  fresh?: boolean;
  /**
   * All tests of the files that reach a change, and only those of the file beside it where there is one: what is made once for a store or a
   * server is reached by its first test and noticed by others.
   */
  wholeFiles?: boolean;
  /** Programs of threads, by their names, that run in the process of the tests: there they are changed, too. */
  threadsHere?: string[];
  /** Tests whose names hold one of these words are left out. */
  wordsLeftOut?: string[];
}

const files = (tests: readonly string[]): string => tests.map(test => `${test}.test.ts`).join(',');

/**
 * Runs Stryker for the named parts of a package, or for all of them. A mutant is run against the tests of its part alone, so a
 * survivor may still be caught by another test; what is killed is killed.
 */
export function mutateParts(
  home: string,
  parts: Record<string, MutationPart>,
  wanted: readonly string[],
  leftOut: readonly string[] = [],
): void {
  const stryker = path.join(home, '../../node_modules/@stryker-mutator/core/bin/stryker.js');
  for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) {
    const part = parts[name];
    if (part === undefined) throw new Error(`no part is called ${name}; there are ${Object.keys(parts).join(', ')}`);
    const mutate = [...part.sources.map(source => source.replace(/^!?/, '$&src/').concat('.ts')), '!src/**/*.test.ts'].join(',');
    // Stryker reckons with the tests that reach a mutant, and would end whole files on a busy machine: a killed mutant that is none.
    const timeout = part.wholeFiles === true ? ['--timeoutMS', '180000'] : [];
    const { status } = spawnSync(
      process.execPath,
      [stryker, 'run', '--mutate', mutate, '--incrementalFile', `mutation/${name}.json`, ...timeout],
      {
        cwd: home,
        stdio: 'inherit',
        env: {
          ...process.env,
          MUTATION_TESTS: files(part.tests),
          MUTATION_TESTS_LEFT_OUT: files(leftOut),
          MUTATION_WORDS_LEFT_OUT: part.wordsLeftOut?.join(',') ?? '',
          MUTATION_THREADS_HERE: part.threadsHere?.join(',') ?? '',
          MUTATION_WHOLE_FILES: part.wholeFiles === true ? '1' : '',
          MUTATION_FRESH: part.fresh === true ? '1' : '',
        },
      },
    );
    if (status !== 0) process.exitCode = 1;
  }
}
