import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Two things that make a start shorter (docs/decisions/0046). A built-in module that is imported has each of its names read, and those of
 * `node:http` and `node:crypto` load undici and WebCrypto, which nothing here uses. A file with one character beyond ASCII is kept in memory
 * with two bytes for each.
 */
function quickStart(): Plugin {
  const builtin = /^import (?:(\w+)|\* as (\w+)|\{([^}]*)\}) from "(node:[^"]+)";$/gm;
  return {
    name: 'octavo-quick-start',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        chunk.code = chunk.code
          .replace(
            builtin,
            (_, whole, namespace, names, module) =>
              `const ${whole ?? namespace ?? `{${names.replaceAll(' as ', ': ')}}`} = process.getBuiltinModule("${module}");`,
          )
          .replace(/[^\0-\x7f]/g, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
      }
    },
  };
}

/** The server program in a few files: our sources and every dependency but those with native code, which find their files themselves. */
export default defineConfig({
  publicDir: false,
  plugins: [quickStart()],
  resolve: { alias: { glob: at('src/http/addresses/no-glob.ts') } },
  ssr: { noExternal: true, external: ['bcrypt', 'sharp', 'pg-native'] },
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
        'read-ahead-worker': at('src/store/sqlite/read-ahead-worker.ts'),
        'heavy-write-worker': at('src/store/heavy-write-worker.ts'),
        'search-worker': at('src/store/search/search-worker.ts'),
        'check-process': at('src/images/check-process.ts'),
        'card-process': at('src/images/card-process.ts'),
      },
      // The comments of packages are a sixth of the text that is read at the start.
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', comments: false },
    },
  },
});
