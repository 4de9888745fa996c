import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

const { projects: _, ...shared } = base.test!;

// The long loops: fuzzing, soak, memory. Their last result stands in docs/long-runs.md.
export default defineConfig({
  ...base,
  test: {
    ...shared,
    include: ['{apps,packages}/*/{src,test}/**/*.long.ts'],
    globalSetup: ['tools/test-setup.ts'],
    testTimeout: 1_800_000,
    maxWorkers: 1,
  },
});
