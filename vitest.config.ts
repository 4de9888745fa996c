import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tools/longest-first.ts';
import { findQuickTests, playsClock, testFiles } from './tools/test-kinds.ts';

const quick = findQuickTests(import.meta.dirname);
const { clocks = [], others = [] } = Object.groupBy(quick, file =>
  playsClock(path.join(import.meta.dirname, file)) ? 'clocks' : 'others',
);

// A file that leaves its worker changed fails.
const setupFiles = ['tools/left-in-worker.ts'];

// `npm test` runs all projects, `npm run test:quick` the first two. Long loops (fuzz, soak, memory) lie in *.long.ts and run with
// vitest.long.config.ts.
export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: {
    alias: [
      // The gate's tests run our packages from their sources.
      ...['oidc-rp', 'saml-sp', 'sign-in-store'].map(name => ({
        find: `@octavo/${name}`,
        replacement: fileURLToPath(new URL(`packages/${name}/src/index.ts`, import.meta.url)),
      })),
      // Only for those that start a thread or a process: the module's own test, and what is started, import it from beside or from a `src`.
      {
        find: /^(?:\.\.\/)+own-program\.ts$/,
        replacement: fileURLToPath(new URL('apps/notebook/test/support/built-programs.ts', import.meta.url)),
      },
    ],
  },
  test: {
    reporters: ['./tools/closing-line.ts'],
    setupFiles: ['tools/skip-reasons.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Most files wait for a browser or a server: one more at a time than a small machine has cores, or it would idle.
    maxWorkers: Math.max(3, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    // How long a busy machine may take to get there; a test that passes waits no longer for it.
    expect: { poll: { timeout: 10_000 } },
    projects: [
      // One worker runs many of these files: starting one for each would take longer than the tests do.
      { extends: true, test: { name: 'quick', include: others, isolate: false, setupFiles } },
      // Those that play with the clock, in workers of their own (tools/test-kinds.ts says why).
      { extends: true, test: { name: 'clocks', include: clocks, isolate: false, setupFiles } },
      {
        extends: true,
        test: {
          name: 'whole',
          include: testFiles,
          exclude: ['**/node_modules/**', ...quick],
          // One worker runs many of these too: loading drivers and our modules anew takes a second of the processor for each file.
          isolate: false,
          // A browser, a server and the test share two cores with another file's: only what never comes is a failure.
          testTimeout: 90_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 20_000 } },
          globalSetup: ['tools/test-setup.ts'],
        },
      },
    ],
  },
});
