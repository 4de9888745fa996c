import { MinimalReporter, type TestCase, type TestModule } from 'vitest/node';

/** How often a long run reports its progress when no terminal shows it. */
const progressMillis = 60_000;

/** How long Vitest may take to exit after the run. */
const endMillis = 30_000;

/** A slower file deserves attention: the whole run has a time budget. */
const slowMillis = 60_000;

/**
 * What a person needs from a run: every failure in full, progress now and then, what was skipped and why, and one closing line
 * that machines read: `N passed, N failed, N skipped`. A skip without a reason fails the run.
 */
export default class ClosingLine extends MinimalReporter {
  readonly #endMillis: number;
  #files = 0;
  #ended = 0;
  #broken = 0;
  #toldAt = 0;

  constructor(options: { readonly endMillis?: number } = {}) {
    super();
    this.#endMillis = options.endMillis ?? endMillis;
  }

  override onTestRunStart(specifications: Parameters<MinimalReporter['onTestRunStart']>[0]): void {
    super.onTestRunStart(specifications);
    this.#files = specifications.length;
    this.#ended = 0;
    this.#broken = 0;
    this.#toldAt = Date.now();
  }

  override onTestModuleEnd(module: TestModule): void {
    super.onTestModuleEnd(module);
    this.#ended += 1;
    if (module.state() === 'failed') {
      this.#broken += 1;
      // A run that is stopped never gets to its summary.
      for (const line of failuresOf(module)) process.stdout.write(`${line}\n`);
    }
    const { duration } = module.diagnostic();
    if (duration > slowMillis) process.stdout.write(`slow: ${Math.round(duration / 1_000)} s ${module.relativeModuleId}\n`);
    if (Date.now() - this.#toldAt < progressMillis) return;
    this.#toldAt = Date.now();
    process.stdout.write(
      `${this.#ended} of ${this.#files} files, ${this.#broken === 0 ? 'none failed' : `${this.#broken} failed`}\n`,
    );
  }

  override reportTestSummary(): void {
    // The closing line replaces it.
  }

  override onTestRunEnd(...[modules, unhandled, reason]: Parameters<MinimalReporter['onTestRunEnd']>): void {
    super.onTestRunEnd(modules, unhandled, reason);
    const { lines, unexplained } = describeRun(modules, unhandled.length);
    process.stdout.write(`${lines.join('\n')}\n`);
    if (unexplained > 0) process.exitCode = 1;
    if (!this.ctx.config.watch) setTimeout(() => this.#end(), this.#endMillis).unref();
  }

  /** Vitest waits for the output of a worker that has ended, so a program that a failed test left behind would keep it waiting forever. */
  #end(): void {
    process.stderr.write('The run has ended, but a process that a test started is still running and keeps the output open.\n');
    void this.ctx.exit();
  }
}

/** One line for each failed test, or for the file that could not be run. */
function failuresOf(module: TestModule): string[] {
  const failed = [...module.children.allTests('failed')].map(
    test => `failed: ${module.relativeModuleId}: ${test.fullName}: ${test.result().errors?.[0]?.message?.split('\n')[0] ?? ''}`,
  );
  if (failed.length > 0) return failed;
  return [`failed: ${module.relativeModuleId}: ${module.errors()[0]?.message?.split('\n')[0] ?? 'a hook broke'}`];
}

/** The last lines of a run, and how many skips have no reason. */
export function describeRun(modules: readonly TestModule[], unhandled: number): { lines: string[]; unexplained: number } {
  let passed = 0;
  let failed = unhandled;
  for (const module of modules) {
    const states = [...module.children.allTests()].map(test => test.result().state);
    passed += states.filter(state => state === 'passed').length;
    const failedHere = states.filter(state => state === 'failed').length;
    // A file that cannot be loaded, or whose hook failed, has no failed test of its own.
    failed += failedHere === 0 && module.state() === 'failed' ? 1 : failedHere;
  }
  const skipped = modules.flatMap(module => [...module.children.allTests('skipped')]);
  const reasons = Map.groupBy(skipped.filter(isToTell), test => reasonOf(test) ?? unexplainedSkip(test));
  const unexplained = skipped.filter(test => isToTell(test) && reasonOf(test) === undefined).length;
  const lines = [...reasons].map(([reason, tests]) => `skipped ${tests.length}: ${reason}`).sort();
  const closing = `${passed} passed, ${failed + unexplained} failed, ${skipped.length - unexplained} skipped`;
  return { lines: [...lines, '', closing], unexplained };
}

const unexplainedSkip = (test: TestCase) => `FAILED, it gives no reason: ${test.module.relativeModuleId}: ${test.fullName}`;

/** Leaves out what `-t` or `.only` excluded, and what a failed hook kept from running: there, the failure is reported. */
function isToTell(test: TestCase): boolean {
  if (reasonOf(test) !== undefined) return true;
  if (test.project.config.testNamePattern || [...test.module.children.allTests()].some(other => other.options.mode === 'only'))
    return false;
  return test.options.mode === 'skip' || test.options.mode === 'todo';
}

/** The reason of the test, or of the block around it. */
function reasonOf(test: TestCase): string | undefined {
  const result = test.result();
  if (result.state === 'skipped' && result.note) return result.note;
  let block: TestCase | TestCase['parent'] = test;
  while (block.type !== 'module') {
    const { skipped } = block.meta();
    if (skipped) return skipped;
    block = block.parent;
  }
  return undefined;
}
