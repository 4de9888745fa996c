import { defineConfig } from 'vitest/config';

// The tests that Stryker runs against each mutant: those of the rules, quick and without another program or thread.
const slow = [
  'bounded',
  'canonical-form',
  'documents',
  'fuzz',
  'lasso',
  'metadata-sources',
  'no-side-door',
  'oracles',
  'readme',
  'schemas',
  'simplesamlphp',
  'whole-journey',
];

export default defineConfig({
  test: {
    include: process.env.MUTATION_TESTS?.split(',') ?? ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...slow.map(name => `**/${name}.test.ts`)],
    testTimeout: 60_000,
    maxWorkers: 1,
    isolate: false,
  },
});
