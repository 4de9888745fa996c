import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Names what was skipped and why and what passed at its second try, then closes the run with the one line that machines read: `N passed, N failed`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<unknown>): void {
    let passed = 0;
    let failed = unhandled.length;
    for (const module of modules) {
      let failedHere = 0;
      const skipped: TestCase[] = [];
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        if (test.diagnostic()?.flaky) process.stdout.write(`at the second try: ${module.relativeModuleId}: ${test.fullName}\n`);
        if (state === 'passed') passed += 1;
        else if (state === 'failed') failedHere += 1;
        else skipped.push(test);
      }
      // A file that cannot be loaded, or whose hook broke, has no failed test of its own.
      failed += failedHere === 0 && module.state() === 'failed' ? 1 : failedHere;
      for (const line of describeSkipped(module, skipped)) process.stdout.write(`${line}\n`);
    }
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  }
}

/** One line a reason and file: a hundred tests that miss the same program are one fact. */
function describeSkipped(module: TestModule, skipped: readonly TestCase[]): string[] {
  const byReason = Map.groupBy(skipped, test => {
    const result = test.result();
    return (result.state === 'skipped' && result.note) || test.fullName;
  });
  return [...byReason].map(([reason, tests]) => `skipped: ${module.relativeModuleId}: ${reason} (${tests.length})`);
}
