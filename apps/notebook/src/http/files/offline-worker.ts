import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../limits.ts';
import { urls } from '../../urls.ts';
import type { AssetUrls } from '../../views/props.ts';
import { readBuild } from './assets.ts';

/** Shown offline; each is the same for everybody. */
const shellPages = [urls.home(), urls.newNotebook(), urls.quick(), urls.offline()];
/** The editor's page is the same for every slug, so this one need not exist. */
const editorSlug = 'offline';
/** Workers that the editor starts while a person writes. */
const editorWorkers = /^(?:preview-worker|convert-worker|find-worker|tex-to-mathml)-/;

const shellScripts = ['theme', 'home', 'new-notebook', 'quick', 'reader'] as const;

/**
 * The service worker as one script that begins with the list of built files. Its text changes with every release, which is how browsers
 * detect one.
 */
export function composeOfflineWorker(clientFolder: string, assets: AssetUrls): string {
  const { source, closureOf, lazyClosureOf, files } = readBuild(clientFolder);
  const code = readFileSync(join(clientFolder, source('src/browser/offline/worker.ts')), 'utf8');
  const needed = shellScripts.flatMap(name => closureOf(assets.scripts[name]));
  const workers = readdirSync(join(clientFolder, 'assets')).filter(name => editorWorkers.test(name) && name.endsWith('.js'));
  const editorFiles = [assets.styles.editor, ...lazyClosureOf(assets.scripts.editor), ...workers.map(name => `/assets/${name}`)];
  const shell = {
    editor: { page: urls.edit(editorSlug), slug: editorSlug, files: [...new Set(editorFiles)].sort() },
    pages: shellPages,
    files: [...new Set([assets.styles.site, ...assets.preloadFonts, ...needed])],
    known: files,
    mostKept: limits.maxPagesKeptOffline,
  };
  const version = createHash('sha256').update(code).update(JSON.stringify(shell)).digest('base64url').slice(0, 12);
  return `const octavoShell = ${JSON.stringify({ ...shell, version })};\n${code}`;
}

/**
 * For `OFFLINE=off`: a browser that has a worker drops it, along with everything it kept and the editor's copies
 * (browser/session/offline-copy.ts), but keeps drafts. The worker goes even when a store is broken.
 */
export const noOfflineWorker = `addEventListener('install', () => skipWaiting());
addEventListener('activate', event => event.waitUntil(
  Promise.allSettled([dropKept(), dropCopies()]).then(() => registration.unregister())
));
async function dropKept() {
  for (const name of await caches.keys()) if (name.startsWith('octavo-')) await caches.delete(name);
}
function dropCopies() {
  return new Promise(resolve => {
    setTimeout(resolve, 4_000);
    const opening = indexedDB.open('octavo', 1);
    opening.onupgradeneeded = () => opening.transaction.abort();
    opening.onerror = resolve;
    opening.onsuccess = () => {
      const drafts = opening.result.transaction('drafts', 'readwrite');
      drafts.oncomplete = drafts.onabort = () => resolve(opening.result.close());
      const keys = drafts.objectStore('drafts').getAllKeys();
      keys.onsuccess = () => {
        for (const key of keys.result) if (key[3] === 'notebook') drafts.objectStore('drafts').delete(key);
      };
    };
  });
}
`;
