import { globSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type {
  DryRunOptions,
  DryRunResult,
  MutantRunOptions,
  MutantRunResult,
  TestResult,
} from '@stryker-mutator/api/test-runner';
import type * as CollectedTests from './collected-tests.ts';
import { runThreadsHere } from './threads-here.ts';

// A test runner for Stryker that loads the code and its tests once and then runs each mutant in the same process. Starting Vitest
// each time, with its module graph and our schemas, took most of a mutant's time.

/** What the instrumented code reads and writes while it runs. */
interface Instruments {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  mutantCoverage?: CompleteCoverage;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
}
type CompleteCoverage = NonNullable<Extract<DryRunResult, { tests: TestResult[] }>['mutantCoverage']>;

const collector = new URL('collected-tests.ts', import.meta.url).href;

const listed = (variable: string): string[] => process.env[variable]?.split(',').filter(Boolean) ?? [];
/** Tests whose names contain one of these words are left out, such as those of an engine that is not installed. */
const wordsLeftOut = listed('MUTATION_WORDS_LEFT_OUT');
/** Loads the code and its tests anew for each mutant, so that what is created once is created with the mutant. */
const isFresh = process.env.MUTATION_FRESH === '1';
const isRun = (id: string): boolean => !wordsLeftOut.some(word => id.includes(word));

/** Code of the package that is mutated, and its tests: what each mutant gets anew. */
const isOfPackage = (url: string): boolean =>
  url.startsWith(`${pathToFileURL(process.cwd()).href}/`) && !url.includes('/node_modules/') && !url.includes('?');

/** The test next to a source. */
const ownTestOf = (source: string): string =>
  path
    .relative(process.cwd(), source)
    .split(path.sep)
    .join('/')
    .replace(/\.tsx?$/, '.test.ts');

class InProcessRunner {
  readonly #instruments: Instruments;
  #tests: typeof CollectedTests | undefined;
  /** Whether a mutant changed something that outlives it: then the process must end. */
  #spoiled = false;
  #fresh = true;
  /** How often the code was loaded. */
  #loads = 0;
  /** By source file and test file: how many of the source's mutants the test file killed. */
  readonly #kills = new Map<string, number>();
  /** By source file: the tests that killed its mutants. */
  readonly #killers = new Map<string, Set<string>>();

  constructor() {
    const holder = globalThis as { __stryker__?: Instruments };
    holder.__stryker__ ??= {};
    this.#instruments = holder.__stryker__;
  }

  /**
   * Static mutants are left out (`ignoreStatic`), or everything is loaded anew for each mutant; the others are activated when a test
   * starts. Answering false would start a process for each mutant that is also reached while the files load.
   */
  capabilities() {
    return { reloadEnvironment: true };
  }

  async #load(): Promise<typeof CollectedTests> {
    if (this.#tests !== undefined) return this.#tests;
    registerHooks({
      resolve: (specifier, context, next) => {
        // Stryker's copy of the package is nested deeper than the package, but the repository's tools stay where they are.
        const tool = /^(?:\.\.\/)+tools\/([\w-]+\.ts)$/.exec(specifier)?.[1];
        if (tool !== undefined) return next(new URL(`../${tool}`, collector).href, context);
        if (specifier === 'vitest' && context.parentURL !== collector && !context.parentURL?.includes('/node_modules/'))
          return { url: collector, shortCircuit: true, format: 'module-typescript' };
        const found = next(specifier, context);
        return isFresh && isOfPackage(found.url) ? { ...found, url: `${found.url}?load=${this.#loads}` } : found;
      },
    });
    runThreadsHere(listed('MUTATION_THREADS_HERE'));
    this.#tests = (await import(collector)) as typeof CollectedTests;
    await this.#collect(this.#tests);
    return this.#tests;
  }

  async #collect(tests: typeof CollectedTests): Promise<void> {
    this.#loads += 1;
    tests.forgetCollected();
    const left = new Set(globSync(listed('MUTATION_TESTS_LEFT_OUT')));
    for (const file of globSync(listed('MUTATION_TESTS')).toSorted()) {
      if (!left.has(file)) await tests.collect(file, () => import(pathToFileURL(path.resolve(file)).href));
    }
  }

  /** @returns what went wrong, if the code does not even load with this mutant */
  async #collectAnew(tests: typeof CollectedTests): Promise<string | undefined> {
    try {
      await this.#collect(tests);
      return undefined;
    } catch (error) {
      return String(error);
    }
  }

  async dryRun(_options: DryRunOptions): Promise<DryRunResult> {
    const tests = await this.#load();
    const outcomes = await tests.runCollected({
      wanted: isRun,
      bail: false,
      order: files => files,
      before: id => {
        this.#instruments.currentTestId = id;
      },
    });
    this.#instruments.currentTestId = undefined;
    // The tests have left something behind: a test that cannot run twice kills nothing here.
    this.#fresh = false;
    return {
      status: 'complete' as never,
      tests: outcomes.map(({ id, file, milliseconds, failure }) => ({
        id,
        name: id,
        fileName: path.resolve(file),
        timeSpentMs: milliseconds,
        ...(failure === undefined ? { status: 0 as never } : { status: 1 as never, failureMessage: failure }),
      })),
      mutantCoverage: this.#instruments.mutantCoverage as CompleteCoverage,
    };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, sandboxFileName }: MutantRunOptions): Promise<MutantRunResult> {
    if (this.#spoiled) throw new Error('an earlier mutant spoiled this process');
    const tests = await this.#load();
    const covering = new Set(testFilter);
    const wanted =
      process.env.MUTATION_WHOLE_FILES === '1' ? tests.withFileMates(covering, ownTestOf(sandboxFileName)) : covering;
    const killsOf = (file: string): number => this.#kills.get(`${sandboxFileName} ${file}`) ?? 0;
    const order = (files: readonly string[]) => files.toSorted((one, other) => killsOf(other) - killsOf(one));
    // Other tests of the same file may be among those left out.
    const select = (id: string): boolean => isRun(id) && (testFilter === undefined || wanted.has(id));
    Object.assign(this.#instruments, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
    const broken = isFresh ? await this.#collectAnew(tests) : undefined;
    if (broken !== undefined) {
      Object.assign(this.#instruments, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
      return { status: 'killed' as never, killedBy: [], failureMessage: broken, nrOfTests: 0 };
    }
    const run = (wanted: (id: string) => boolean) => tests.runCollected({ wanted, bail: true, order, before: () => undefined });
    // Tests that killed neighboring mutants run first: most mutants meet no other test.
    const killers = this.#killers.get(sandboxFileName) ?? new Set();
    const first = await run(id => killers.has(id) && select(id));
    const outcomes = first.some(({ failure }) => failure !== undefined) ? first : await run(select);
    const hits = this.#instruments.hitCount ?? 0;
    Object.assign(this.#instruments, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
    const fresh = this.#fresh;
    this.#fresh = false;
    if (hitLimit !== undefined && hits > hitLimit) return { status: 'timeout' as never, reason: `${hits} hits of ${hitLimit}` };
    const killer = outcomes.find(({ failure }) => failure !== undefined);
    if (killer === undefined) return { status: 'survived' as never, nrOfTests: outcomes.length };
    this.#kills.set(`${sandboxFileName} ${killer.file}`, killsOf(killer.file) + 1);
    this.#killers.set(sandboxFileName, killers.add(killer.id));
    // The killing test must pass without the mutant; otherwise this mutant or an earlier one left something behind.
    if (isFresh) await this.#collect(tests);
    const again = await run(id => id === killer.id);
    const left = again.some(({ failure }) => failure !== undefined);
    this.#spoiled ||= left;
    if (left && !fresh) throw new Error('an earlier mutant spoiled this process');
    return {
      status: 'killed' as never,
      killedBy: [killer.id],
      failureMessage: killer.failure ?? '',
      nrOfTests: outcomes.length,
    };
  }
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'in-process', injectableClass: InProcessRunner }];
