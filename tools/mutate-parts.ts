import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Files of `src/` that are mutated together, and the tests that run against each mutant. */
export interface MutationPart {
  /** Globs; one that starts with `!` excludes. */
  sources: string[];
  tests: string[];
  /**
   * Load the code and its tests anew for each mutant, so that what is created once is created with the mutant. Tables and regular
   * expressions are mutated, too (static mutants).
   */
  fresh?: boolean;
  /**
   * Run all tests of the files that reach a mutant, or only those of the file next to the source if there is one: what is created
   * once for a store or a server is reached by its first test and noticed by others.
   */
  wholeFiles?: boolean;
  /** Thread programs, by name, that run in the tests' process, so that they are mutated too. */
  threadsHere?: string[];
  /** Tests whose names contain one of these words are left out. */
  wordsLeftOut?: string[];
}

const files = (tests: readonly string[]): string => tests.map(test => `${test}.test.ts`).join(',');

/** The package's configuration with its static mutants. @returns the file */
function withStatic(home: string, name: string): string {
  const config = JSON.parse(readFileSync(path.join(home, 'stryker.config.json'), 'utf8'));
  const file = path.join(home, `mutation/${name}.config.json`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...config, ignoreStatic: false }));
  return file;
}

/**
 * Runs Stryker for the named parts of a package, or for all. A mutant runs only against the tests of its part, so a survivor may
 * still be caught by another test; a killed mutant is definitely killed.
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
    if (part === undefined) throw new Error(`there is no part ${name}; choose from ${Object.keys(parts).join(', ')}`);
    const mutate = [...part.sources.map(source => source.replace(/^!?/, '$&src/').concat('.ts')), '!src/**/*.test.ts'].join(',');
    // Stryker's limits count the time on the wall: a busy machine would exceed them, and a mutant would count as killed that is
    // not. What waits or runs without an end is found by the runner itself, which counts idle time and visits.
    const timeouts = ['--timeoutMS', '180000', '--dryRunTimeoutMinutes', '60'];
    const config = part.fresh === true ? [withStatic(home, name)] : [];
    const { status } = spawnSync(
      process.execPath,
      [stryker, 'run', ...config, '--mutate', mutate, '--incrementalFile', `mutation/${name}.json`, ...timeouts],
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
