import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// All files in one worker of their kind and in a random order, to find those that need another one before them, or cannot stand it. The
// run prints its seed; `--sequence.seed=SEED` repeats it.
export default defineConfig({
  ...base,
  test: { ...base.test, sequence: { shuffle: { files: true } }, maxWorkers: 1 },
});
