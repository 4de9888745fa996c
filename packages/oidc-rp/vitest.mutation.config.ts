import { defineConfig } from 'vitest/config';

// The tests that Stryker runs against each mutant: those of the rules, quick and without a browser or a compiler.
export default defineConfig({
  test: {
    include: ['test/rules/*.test.ts', 'test/native-l*.test.ts', 'test/open-browser.test.ts', 'test/misbehaving-provider.test.ts'],
    testTimeout: 10_000,
    maxWorkers: 1,
  },
});
