import { performance } from 'node:perf_hooks';
import { format } from 'node:util';
import { expect as realExpect, vi } from 'vitest';

// Replaces `vitest` while mutants run: it collects the tests of many files in one process and runs any of them, any number of
// times. It supports what the tests of the two sign-in packages and of the notebook use.

// What `vi.useFakeTimers` expects of Vitest's worker.
Object.assign(globalThis, { __vitest_worker__: { config: { fakeTimers: {} } } });

type Body = (context: { signal: AbortSignal }) => unknown;
type Hook = () => unknown;

interface Case {
  id: string;
  body: Body;
}

interface Suite {
  name: string;
  beforeAll: Hook[];
  afterAll: Hook[];
  beforeEach: Hook[];
  afterEach: Hook[];
  cases: Case[];
  suites: Suite[];
}

export interface Outcome {
  id: string;
  file: string;
  milliseconds: number;
  /** The error message; undefined for a test that passed. */
  failure: string | undefined;
}

const suiteOf = (name: string): Suite => ({
  name,
  beforeAll: [],
  afterAll: [],
  beforeEach: [],
  afterEach: [],
  cases: [],
  suites: [],
});

const files: Suite[] = [];
const ids = new Set<string>();
let open: Suite[] = [];

const within = (): Suite => {
  const suite = open.at(-1);
  if (suite === undefined) throw new Error('a test was declared outside a test file');
  return suite;
};

/** Stryker would take two tests with the same name for one. */
function idOf(name: string): string {
  const words = [...open.map(suite => suite.name), name].join(' > ').replace(/\s+/g, ' ').slice(0, 200);
  let id = words;
  for (let count = 2; ids.has(id); count += 1) id = `${words} (${count})`;
  ids.add(id);
  return id;
}

const bodyOf = (rest: readonly unknown[]): Body => rest.find(part => typeof part === 'function') as Body;

function declareTest(name: string, ...rest: unknown[]): void {
  within().cases.push({ id: idOf(name), body: bodyOf(rest) });
}

function declareSuite(name: string, ...rest: unknown[]): void {
  const suite = suiteOf(name);
  within().suites.push(suite);
  open.push(suite);
  (bodyOf(rest) as Hook)();
  open.pop();
}

type Declare = (name: string, ...rest: unknown[]) => void;
const skip: Declare = () => undefined;

/** Like Vitest: `$name` is a field of the row, and each `%s` one of its values. */
function nameOf(name: string, row: unknown, cells: readonly unknown[]): string {
  const fields = Object(row) as Record<string, unknown>;
  const named = name.replace(/\$(\w+)/g, (words, field: string) => (field in fields ? String(fields[field]) : words));
  const places = named.match(/%[sdifjoO]/g)?.length ?? 0;
  return format(named, ...cells.slice(0, places));
}

/** Declares one test for each row. */
const each =
  (declare: Declare) =>
  (rows: readonly unknown[]): Declare =>
  (name, ...rest) => {
    const body = bodyOf(rest) as unknown as (...args: unknown[]) => unknown;
    // Like Vitest: arrays are lists of arguments if every row is one.
    const spread = rows.every(row => Array.isArray(row));
    for (const row of rows) {
      const cells: readonly unknown[] = Array.isArray(row) ? row : [row];
      declare(nameOf(name, row, cells), () => (spread ? body(...cells) : body(row)));
    }
  };

const declaration = (declare: Declare) =>
  Object.assign(declare, {
    each: each(declare),
    skip,
    skipIf: (reason: unknown): Declare => (reason ? skip : declare),
    runIf: (reason: unknown): Declare => (reason ? declare : skip),
  });

export const test = declaration(declareTest);
export const it = test;
export const describe = declaration(declareSuite);
export const beforeAll = (hook: Hook): number => within().beforeAll.push(hook);
export const afterAll = (hook: Hook): number => within().afterAll.push(hook);
export const beforeEach = (hook: Hook): number => within().beforeEach.push(hook);
export const afterEach = (hook: Hook): number => within().afterEach.push(hook);
export { vi };
/** Stands in for what Vitest's global setup would provide: no browser, no database server. */
export const inject = (): undefined => undefined;

type Matchers = Record<string, (...args: unknown[]) => void>;

/** On a busy machine the time is over before anything could happen. */
const minTries = 50;
/** Vitest's `expect.poll` expects its own test around it. */
const poll = (read: () => unknown, { timeout = 5_000 } = {}) => {
  const until =
    (matchersOf: (found: unknown) => Matchers) =>
    (matcher: string) =>
    async (...args: unknown[]) => {
      let tries = 0;
      for (const end = performance.now() + timeout; ; await new Promise(done => setTimeout(done, 10))) {
        tries += 1;
        const matchers = matchersOf(await read());
        try {
          return matchers[matcher]?.(...args);
        } catch (error) {
          if (tries > minTries && performance.now() > end) throw error;
        }
      }
    };
  const is = until(found => realExpect(found) as unknown as Matchers);
  const isNot = until(found => realExpect(found).not as unknown as Matchers);
  const not = new Proxy({}, { get: (_, matcher: string) => isNot(matcher) });
  return new Proxy({}, { get: (_, matcher: string) => (matcher === 'not' ? not : is(matcher)) });
};

export const expect = new Proxy(realExpect, {
  get: (target, name, receiver) => (name === 'poll' ? poll : Reflect.get(target, name, receiver)),
});

/** Loads a test file, after which its tests can be run. */
export async function collect(file: string, load: () => Promise<unknown>): Promise<void> {
  const suite = suiteOf(file);
  files.push(suite);
  open = [suite];
  await load();
  open = [];
}

/** Forgets everything collected, before the same files are loaded anew. */
export function forgetCollected(): void {
  files.length = 0;
  ids.clear();
}

const hasWanted = (suite: Suite, wanted: (id: string) => boolean): boolean => idsIn(suite).some(wanted);

const idsIn = (suite: Suite): string[] => [...suite.cases.map(({ id }) => id), ...suite.suites.flatMap(idsIn)];

/** All tests of the files that contain one of these, or only those of the file next to the source, if it is among them. */
export function withFileMates(some: ReadonlySet<string>, own: string): Set<string> {
  const reached = files.filter(file => idsIn(file).some(id => some.has(id)));
  const beside = reached.filter(({ name }) => name === own);
  return new Set((beside.length > 0 ? beside : reached).flatMap(idsIn));
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
/**
 * Time is counted in looks, 250 ms apart: on a busy machine they come late, as everything else in the process does. A test that
 * does nothing between so many looks is waiting for something that a mutant removed.
 */
const [lookEveryMs, maxIdleLooks, maxLooks] = [250, 20, 240];
/** What the looks themselves cost. */
const idleMs = 5;
/** Tests may replace these globals. */
const { setInterval, clearInterval } = globalThis;
const utilization = performance.eventLoopUtilization.bind(performance);

/** An error that nothing awaited fails the test that is running when it occurs. */
let stray: unknown;
for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
  process.on(event, (error: unknown) => {
    stray ??= error ?? new Error(event);
  });
}

async function failureOf(run: () => Promise<void>): Promise<string | undefined> {
  stray = undefined;
  const tooLate = Promise.withResolvers<void>();
  let [looks, idleLooks, last] = [0, 0, utilization()];
  const timer = setInterval(() => {
    looks += 1;
    if (utilization(last).active < idleMs) idleLooks += 1;
    last = utilization();
    if (idleLooks > maxIdleLooks) tooLate.reject(new Error(`waited for ${(idleLooks * lookEveryMs) / 1000} s`));
    if (looks > maxLooks) tooLate.reject(new Error(`took longer than ${(looks * lookEveryMs) / 1000} s`));
  }, lookEveryMs);
  try {
    await Promise.race([run(), tooLate.promise]);
    return stray === undefined ? undefined : wordsOf(stray);
  } catch (error) {
    return wordsOf(error);
  } finally {
    clearInterval(timer);
  }
}

export interface Run {
  wanted(id: string): boolean;
  /** Stops the run at the first failure. */
  bail: boolean;
  /** The files in the order they are to run. */
  order(files: readonly string[]): readonly string[];
  before(id: string): void;
}

/** Runs the wanted tests of everything collected. */
export async function runCollected(run: Run): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const over = (): boolean => run.bail && outcomes.some(outcome => outcome.failure !== undefined);

  const runCase = async (file: string, { id, body }: Case, around: readonly Suite[]): Promise<void> => {
    run.before(id);
    const start = performance.now();
    const failure = await failureOf(async () => {
      for (const suite of around) for (const hook of suite.beforeEach) await hook();
      try {
        await body({ signal: new AbortController().signal });
      } finally {
        for (const suite of around.toReversed()) for (const hook of suite.afterEach) await hook();
      }
    });
    outcomes.push({ id, file, milliseconds: performance.now() - start, failure });
  };

  const runSuite = async (file: string, suite: Suite, around: readonly Suite[]): Promise<void> => {
    if (over() || !hasWanted(suite, run.wanted)) return;
    const chain = [...around, suite];
    const fail = (id: string, failure: string | undefined): void => {
      if (failure !== undefined) outcomes.push({ id, file, milliseconds: 0, failure });
    };
    const first = idsIn(suite).find(id => run.wanted(id)) ?? suite.name;
    // What a suite's hooks reach counts for its first test: no other test would run it.
    run.before(first);
    fail(
      first,
      await failureOf(async () => {
        for (const hook of suite.beforeAll) await hook();
      }),
    );
    for (const entry of suite.cases) if (!over() && run.wanted(entry.id)) await runCase(file, entry, chain);
    for (const inner of suite.suites) await runSuite(file, inner, chain);
    fail(
      first,
      await failureOf(async () => {
        for (const hook of suite.afterAll) await hook();
      }),
    );
  };

  const byName = new Map(files.map(suite => [suite.name, suite]));
  for (const name of run.order([...byName.keys()])) {
    const suite = byName.get(name);
    if (suite !== undefined) await runSuite(name, suite, []);
  }
  return outcomes;
}
