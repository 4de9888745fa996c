import { defineConfig } from 'vitest/config';

// The tests that Stryker runs against each mutant of one part (tools/mutation.ts): those of its rules, quick and without a
// browser or a compiler. One process for all files: making one per file would be most of the time.
const files = process.env.MUTATION_TESTS?.split(',') ?? ['rules/*.test.ts', 'native-limits.test.ts', 'open-browser.test.ts'];

export default defineConfig({
  test: {
    include: files.map(file => `test/${file}`),
    testTimeout: 10_000,
    maxWorkers: 1,
    isolate: false,
  },
});
