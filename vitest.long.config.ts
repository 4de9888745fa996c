import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The long loops: fuzzing, soak, memory. Their last result stands in docs/long-runs.md.
export default defineConfig({
  ...base,
  test: { ...base.test, include: ['{apps,packages}/*/{src,test}/**/*.long.ts'], testTimeout: 1_800_000, retry: 0, maxWorkers: 1 },
});
