import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The client: scripts, styles, fonts and icons. The server's views find the hashed names through the manifest (http/assets.ts). */
export default defineConfig({
  root: source('.'),
  base: '/',
  publicDir: 'public',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es' },
  build: {
    outDir: 'dist/client',
    emptyOutDir: true,
    manifest: true,
    // The policy is strict: no `data:` fonts, no inline polyfill, nothing that is not a file of ours.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ['chrome123', 'firefox120', 'safari17.5'],
    rolldownOptions: {
      input: [
        source('src/browser/site/theme.ts'),
        source('src/browser/home/home.ts'),
        source('src/browser/site/new-notebook.ts'),
        source('src/browser/site/quick.ts'),
        source('src/browser/site/reader.ts'),
        source('src/browser/editor/editor.tsx'),
        source('src/browser/diagrams/diagrams.ts'),
        source('src/browser/diagrams/frame.ts'),
        source('src/browser/styles/site.css'),
        source('src/browser/styles/print.css'),
        source('src/browser/styles/editor.css'),
      ],
      // urls.ts derives the reserved slugs from itself; no browser script asks for them.
      treeshake: { manualPureFunctions: ['collectFirstSegments', 'Set'] },
    },
  },
});
