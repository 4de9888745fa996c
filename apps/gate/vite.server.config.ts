import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The program: our sources and those of our packages in a few files, every other dependency left in node_modules. */
export default defineConfig({
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: {
    alias: {
      '@octavo/oidc-rp': at('../../packages/oidc-rp/src/index.ts'),
      '@octavo/saml-sp': at('../../packages/saml-sp/src/index.ts'),
      '@octavo/sign-in-store': at('../../packages/sign-in-store/src/index.ts'),
    },
  },
  build: {
    ssr: true,
    target: 'node24',
    outDir: 'dist/server',
    emptyOutDir: true,
    sourcemap: true,
    minify: false,
    rolldownOptions: {
      input: { cli: at('src/cli.ts') },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
