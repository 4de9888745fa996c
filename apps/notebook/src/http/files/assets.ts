import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { urls } from '../../urls.ts';
import { type AssetUrls, scriptNames, styleNames } from '../../views/props.ts';

interface ManifestChunk {
  readonly file: string;
  readonly name?: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

/**
 * Reads the client build's manifest.
 * @param clientFolder Vite's output folder: `dist/client`
 * @throws when the client was not built or lacks a file that a page needs: better at the start than on every page
 */
export function readAssetUrls(clientFolder: string): AssetUrls {
  const manifest = readManifest(join(clientFolder, '.vite', 'manifest.json'));
  const urlOf = (source: string): string => {
    // npm decides where packages lie, so a font is identified by the end of its path.
    const key = source in manifest ? source : Object.keys(manifest).find(path => path.endsWith(`/${source}`));
    const chunk = key === undefined ? undefined : manifest[key];
    if (chunk === undefined) throw new Error(`The client build has no ${source}. Run \`npm run build\` again.`);
    return `/${chunk.file}`;
  };
  return {
    styles: namedUrls(styleNames, name => urlOf(`src/browser/styles/${name}.css`)),
    scripts: namedUrls(scriptNames, name => urlOf(scriptSources[name])),
    preloadFonts: preloadedFonts.map(urlOf),
    editorImports: closureIn(manifest, urlOf(scriptSources.editor)).slice(1),
    fonts: { italic: urlOf('source-serif-4-latin-wght-italic.woff2'), mono: urlOf('jetbrains-mono-latin-wght-normal.woff2') },
  };
}

const scriptSources = {
  theme: 'src/browser/site/theme.ts',
  home: 'src/browser/home/home.ts',
  'new-notebook': 'src/browser/site/new-notebook.ts',
  quick: 'src/browser/site/quick.ts',
  reader: 'src/browser/site/reader.ts',
  book: 'src/browser/site/book.ts',
  'fit-to-paper': 'src/browser/site/fit-to-paper.ts',
  slides: 'src/browser/site/slides.ts',
  once: 'src/browser/site/once.ts',
  unlock: 'src/browser/site/unlock.ts',
  later: 'src/browser/site/later.ts',
  zoom: 'src/browser/site/zoom.ts',
  'own-edit': 'src/browser/site/own-edit.ts',
  editor: 'src/browser/editor/editor.tsx',
  diagrams: 'src/browser/diagrams/diagrams.ts',
  'diagram-frame': 'src/browser/diagrams/frame.ts',
} as const;

/** Built files carry their hash in the name, so they may be cached forever; everything else in the folder may not. */
export function isHashedAsset(path: string): boolean {
  return path.startsWith(urls.assets()) && /-[\w-]{8}\.\w+$/.test(path);
}

const preloadedFonts = ['source-serif-4-latin-wght-normal.woff2', 'inter-latin-wght-normal.woff2'];

/** The build as the service worker needs it; paths as a page requests them. */
export interface Build {
  /** The file of a source, relative to the client folder. @throws when it was not built */
  readonly source: (source: string) => string;
  /** A file and everything that it imports before it can run. */
  readonly closureOf: (file: string) => readonly string[];
  /** The same, with everything that it may import later. */
  readonly lazyClosureOf: (file: string) => readonly string[];
  /** Every script and style sheet. */
  readonly files: readonly string[];
}

export function readBuild(clientFolder: string): Build {
  const manifest = readManifest(join(clientFolder, '.vite', 'manifest.json'));
  const chunks = Object.values(manifest);
  return {
    source: source => {
      const chunk = manifest[source];
      if (chunk === undefined) throw new Error(`The client build has no ${source}. Run \`npm run build\` again.`);
      return chunk.file;
    },
    closureOf: file => closureIn(manifest, file),
    lazyClosureOf: file => closureIn(manifest, file, { lazy: true }),
    files: chunks.map(({ file }) => `/${file}`),
  };
}

function closureIn(
  manifest: Readonly<Record<string, ManifestChunk>>,
  file: string,
  { lazy = false, seen = new Set<string>() } = {},
): readonly string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const chunk = Object.values(manifest).find(candidate => `/${candidate.file}` === file);
  const keys = [...(chunk?.imports ?? []), ...((lazy && chunk?.dynamicImports) || [])];
  return [file, ...keys.flatMap(key => closureIn(manifest, `/${manifest[key]!.file}`, { lazy, seen }))];
}

function readManifest(path: string): Record<string, ManifestChunk> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, ManifestChunk>;
  } catch (cause) {
    throw new Error('The client is not built yet. Run `npm run build` first.', { cause });
  }
}

function namedUrls<Name extends string>(names: readonly Name[], urlOf: (name: Name) => string): Record<Name, string> {
  return Object.fromEntries(names.map(name => [name, urlOf(name)])) as Record<Name, string>;
}
