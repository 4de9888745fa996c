import { defineConfig } from 'vitest/config';

// The tests that Stryker runs against each mutant: those of the rules, quick and without another program.
const slow = [
  'documents',
  'readme',
  'schemas',
  'oracles',
  'canonical-form',
  'fuzz',
  'no-side-door',
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
