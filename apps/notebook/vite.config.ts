import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Mermaid lays out in the thread that it draws in. It waits for its layouts already, all but for the last step, so three words of its code
 * let a worker do that step (src/browser/diagrams/layout-outside.ts, docs/decisions). A Mermaid whose code is another one fails the build.
 */
function layoutOutside(): Plugin {
  const outside = source('src/browser/diagrams/layout-outside.ts');
  const changes: readonly (readonly [string, string, number])[] = [
    [
      'import { layout as dagreLayout } from "dagre-d3-es/src/dagre/index.js"',
      `import { layoutOutside as dagreLayout } from "${outside}"`,
      1,
    ],
    ['(graph) => {\n  log.info("####', 'async (graph) => {\n  log.info("####', 1],
    ['  dagreLayout(graph);', '  await dagreLayout(graph);', 1],
    ['  runDagreGraphLayout(measuredLayout.graph);', '  await runDagreGraphLayout(measuredLayout.graph);', 2],
    [
      '__name((data4Layout, context) => {\n  const measuredLayout',
      '__name(async (data4Layout, context) => {\n  const measuredLayout',
      1,
    ],
  ];
  return {
    name: 'octavo-layout-outside',
    enforce: 'pre',
    transform(code, id) {
      if (!/mermaid\/dist\/.*\/dagre-\w+\.mjs$/.test(id)) return null;
      return changes.reduce((changed, [from, to, times]) => {
        if (changed.split(from).length - 1 !== times) throw new Error(`Mermaid no longer has ${times} × ${from}`);
        return changed.replaceAll(from, to);
      }, code);
    },
  };
}

/**
 * Vite's own way to preload what a lazy part imports has 890 bytes, most of them for style sheets and for browsers without
 * `modulepreload`. The nonce is for the frame that draws diagrams. Neither is here, and the home page has 9 kB in all.
 *
 * A part that does not come is asked for once more. Chromium and Firefox remember that a module did not come, and fail at once whenever
 * it is wanted again, until the page is reloaded; at another address they ask again, and their error ends with the address. Other
 * browsers' errors don't, and stay what they are. The policy of our pages lets no other site's script in.
 */
function smallPreload(): Plugin {
  const code = `const asked = new Set();
export const __vitePreload = (load, files = []) => {
  for (const file of files) {
    if (asked.has(file)) continue;
    asked.add(file);
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.crossOrigin = '';
    link.nonce = document.querySelector('meta[property=csp-nonce]')?.nonce ?? '';
    link.href = '/' + file;
    document.head.append(link);
  }
  return load().catch(problem => {
    const address = URL.parse(String(problem).split(' ').at(-1));
    if (!address || address.search) throw problem;
    address.search = Date.now();
    return import(/* @vite-ignore */ address.href);
  });
};`;
  return {
    name: 'octavo-small-preload',
    enforce: 'pre',
    load: id => (id === '\0vite/preload-helper.js' ? code : null),
    generateBundle(_options, bundle) {
      for (const { fileName, ...chunk } of Object.values(bundle))
        if (chunk.type === 'chunk' && chunk.isDynamicEntry && chunk.viteMetadata?.importedCss.size)
          throw new Error(`${fileName} brings a style sheet, which nothing would wait for`);
    },
  };
}

/**
 * Gives the editor modules of its own. Shared with the other pages' scripts, 13 kB of them came in ten files of about 1 kB, and over
 * HTTP/1.1 a first visit waited for ten requests more. It is for what the editor loads, now or later; no other page loads any of that.
 */
function editorAlone(): Plugin {
  const ours = source('src/');
  return {
    name: 'octavo-editor-alone',
    enforce: 'pre',
    async resolveId(asked, importer) {
      const isWorker = asked.endsWith('?worker&url');
      if (
        !importer ||
        (asked.includes('?') && !isWorker) ||
        !(/[?&]editor$/.test(importer) || importer === source('src/browser/editor/editor.tsx'))
      )
        return null;
      const found = await this.resolve(asked, importer, { skipSelf: true });
      if (!found?.id.startsWith(ours)) return found;
      if (isWorker) return { ...found, id: `${found.id}&editor` };
      return found.id.includes('?') ? found : { ...found, id: `${found.id}?editor` };
    },
  };
}

/** Modules by their place in src/browser; what only they import comes with them. */
const among = (...names: string[]) => {
  const files = new Set(names.map(name => source(`src/browser/${name}.ts`)));
  return (id: string) => files.has(id);
};

/** The client: scripts, styles, fonts and icons. The server's views find the hashed names through the manifest (http/files/assets.ts). */
export default defineConfig({
  root: source('.'),
  base: '/',
  publicDir: 'public',
  // The typefaces cut to what the pages use (tools/page-fonts.ts), which the build makes first.
  resolve: { alias: { '@fontsource-variable': source('dist/page-fonts') } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es' },
  plugins: [layoutOutside(), smallPreload(), editorAlone()],
  build: {
    outDir: 'dist/client',
    emptyOutDir: true,
    manifest: true,
    // The policy is strict: no `data:` fonts, no inline polyfill, nothing that is not a file of ours.
    assetsInlineLimit: 0,
    // Mermaid's layout engine alone has 1.5 MB; it is fetched with the first diagram. What a page costs is watched by
    // test/views/weight.test.ts.
    chunkSizeWarningLimit: 1_600,
    modulePreload: { polyfill: false },
    target: ['chrome123', 'firefox120', 'safari17.5'],
    rolldownOptions: {
      input: [
        source('src/browser/site/theme.ts'),
        source('src/browser/home/home.ts'),
        source('src/browser/site/new-notebook.ts'),
        source('src/browser/site/quick.ts'),
        source('src/browser/site/reader.ts'),
        source('src/browser/site/book.ts'),
        source('src/browser/site/fit-to-paper.ts'),
        source('src/browser/site/slides.ts'),
        source('src/browser/site/once.ts'),
        source('src/browser/site/unlock.ts'),
        source('src/browser/site/later.ts'),
        source('src/browser/site/zoom.ts'),
        source('src/browser/site/own-edit.ts'),
        source('src/browser/editor/editor.tsx'),
        source('src/browser/offline/worker.ts'),
        source('src/browser/diagrams/diagrams.ts'),
        source('src/browser/diagrams/frame.ts'),
        source('src/browser/styles/site.css'),
        source('src/browser/styles/print.css'),
        source('src/browser/styles/slides.css'),
        source('src/browser/styles/editor.css'),
      ],
      output: {
        codeSplitting: {
          // A file for each small module would cost a first visit as many requests: the home page had twelve, most of them of 1 kB.
          groups: [
            { name: 'reading', test: among('ui/scroll-boxes', 'ui/require-element', 'device/copy-text') },
            { name: 'addresses', test: among('../urls', '../slug-limits') },
            {
              name: 'creating',
              test: among('device/saved-notebooks', 'api/api-client', 'site/created-links'),
            },
            { name: 'first-words', test: among('../model/first-line', 'device/random-key', 'site/create-once') },
            { name: 'dates', test: among('../grace-days', 'device/date-words') },
          ],
        },
      },
      // urls.ts derives the reserved slugs from itself; no browser script asks for them.
      treeshake: { manualPureFunctions: ['collectFirstSegments', 'Set'] },
    },
  },
});
