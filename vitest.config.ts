import { defineConfig } from 'vitest/config';

// One run for the whole repository; long loops (fuzz, soak, memory) live in *.long.ts and vitest.long.config.ts.
export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    include: ['{apps,packages}/*/{src,test,examples}/**/*.test.{ts,tsx}', 'tools/**/*.test.ts'],
    globalSetup: ['tools/test-setup.ts'],
    reporters: ['default', './tools/closing-line.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Real browsers and servers on two cores: once more, and the closing lines name what needed it.
    retry: 1,
    // Most files wait for a browser or a server; with one at a time half of a small machine would idle.
    maxWorkers: 2,
    // How long a busy machine may take to get there; a test that passes waits no longer for it.
    expect: { poll: { timeout: 10_000 } },
  },
});
