import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The server program: our sources in a few files, every dependency left in node_modules. */
export default defineConfig({
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    ssr: true,
    target: 'node24',
    outDir: 'dist/server',
    emptyOutDir: true,
    sourcemap: true,
    minify: false,
    rolldownOptions: {
      input: {
        main: at('src/main.ts'),
        cli: at('src/cli.ts'),
        service: at('src/service.ts'),
        'record-ending': at('src/record-ending.ts'),
        'render-worker': at('src/markdown/render-worker.ts'),
        'checkpoint-worker': at('src/store/sqlite/checkpoint-worker.ts'),
        'search-worker': at('src/store/search/search-worker.ts'),
        'check-process': at('src/images/check-process.ts'),
        'card-process': at('src/images/card-process.ts'),
      },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
