import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../limits.ts';
import { urls } from '../urls.ts';
import type { AssetUrls } from '../views/props.ts';
import { readBuild } from './assets.ts';

/** Shown offline; each is the same for everybody. */
const shellPages = [urls.home(), urls.newNotebook(), urls.quick(), urls.offline()];
const shellScripts = ['theme', 'home', 'new-notebook', 'quick', 'reader'] as const;

/**
 * The service worker as one script, the list of built files in front. Its text changes with every release, which is how browsers learn
 * of one.
 */
export function composeOfflineWorker(clientFolder: string, assets: AssetUrls): string {
  const { source, closureOf, files } = readBuild(clientFolder);
  const code = readFileSync(join(clientFolder, source('src/browser/offline/worker.ts')), 'utf8');
  const needed = shellScripts.flatMap(name => closureOf(assets.scripts[name]));
  const shell = {
    pages: shellPages,
    files: [...new Set([assets.styles.site, ...assets.preloadFonts, ...needed])],
    known: files,
    mostKept: limits.maxPagesKeptOffline,
  };
  const version = createHash('sha256').update(code).update(JSON.stringify(shell)).digest('base64url').slice(0, 12);
  return `const octavoShell = ${JSON.stringify({ ...shell, version })};\n${code}`;
}

/** For `OFFLINE=off`: browsers that have a worker drop it, with everything it kept. */
export const noOfflineWorker = `addEventListener('install', () => skipWaiting());
addEventListener('activate', event => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith('octavo-')) await caches.delete(name);
  await registration.unregister();
})()));
`;
