import type { Page } from 'playwright-core';

/** Runs in the page. @returns the notebooks that lie in the browser for offline writing: slugs, each with its texts */
export const readCopies = () =>
  new Promise<Record<string, string>>((resolve, reject) => {
    const opening = indexedDB.open('octavo', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('drafts');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const found: Record<string, string> = {};
      const walk = opening.result.transaction('drafts').objectStore('drafts').openCursor();
      walk.onsuccess = () => {
        const { result: cursor } = walk;
        if (cursor) {
          const key = cursor.key as string[];
          if (key[3] === 'notebook') found[key[0]!] = JSON.stringify(cursor.value);
          cursor.continue();
          return;
        }
        opening.result.close();
        resolve(found);
      };
    };
  });

/** Names of what lies in the browser's database. */
export const recordsIn = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open('octavo', 1);
        opening.onupgradeneeded = () => opening.result.createObjectStore('drafts');
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const keys = opening.result.transaction('drafts').objectStore('drafts').getAllKeys();
          keys.onsuccess = () => {
            opening.result.close();
            resolve(keys.result.map(key => (key as string[]).join('/')));
          };
        };
      }),
  );
