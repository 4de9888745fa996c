import type { BrowserContext } from 'playwright-core';
import { type Elsewhere, Writer } from './writer.ts';

/** What a tab left in its browser: the records of the database by their keys, and local storage. */
interface Left {
  readonly records: readonly [key: string[], value: unknown][];
  readonly texts: readonly [key: string, value: string][];
}

/**
 * Tabs that were closed offline with unsaved text. The first is a real one. What it left in the browser is what the later ones have left,
 * with their own notebook and words: an editor less to open for each.
 */
export class ClosedTabs {
  readonly #before: string;
  #first: { readonly left: string; readonly elsewhere: Elsewhere; readonly typed: string } | undefined;

  /** @param before the words after which it was typed */
  constructor(before: string) {
    this.#before = before;
  }

  /** @returns the name of the tab */
  async leave(context: BrowserContext, elsewhere: Elsewhere, typed: string): Promise<string> {
    if (this.#first) await this.#put(context, elsewhere, typed);
    else this.#first = { left: await this.#leaveReally(context, elsewhere, typed), elsewhere, typed };
    const { records } = JSON.parse(this.#first.left) as Left;
    return records[0]![0][2]!;
  }

  /** @returns what it left, as JSON */
  async #leaveReally(context: BrowserContext, elsewhere: Elsewhere, typed: string): Promise<string> {
    const writer = await Writer.open(context, elsewhere);
    await context.setOffline(true);
    await writer.typeAfter(this.#before, typed);
    await writer.comesToSay('Offline – kept on this device');
    await writer.vanish();
    await context.setOffline(false);
    const window = await context.newPage();
    await window.goto(`${elsewhere.origin}/robots.txt`);
    const left = JSON.stringify(await window.evaluate(readLeft, elsewhere.made.slug));
    await window.close();
    return left;
  }

  async #put(context: BrowserContext, { origin, made }: Elsewhere, typed: string): Promise<void> {
    const first = this.#first!;
    const left = first.left
      .replaceAll(first.elsewhere.made.slug, made.slug)
      .replaceAll(first.elsewhere.made.pageId, made.pageId)
      .replaceAll(first.typed, typed);
    const window = await context.newPage();
    await window.goto(`${origin}/robots.txt`);
    await window.evaluate(putLeft, JSON.parse(left) as Left);
    await window.close();
  }
}

/** Runs in a page of the service. */
async function readLeft(slug: string): Promise<Left> {
  const records: [string[], unknown][] = [];
  await new Promise<void>((resolve, reject) => {
    const opening = indexedDB.open('octavo', 1);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const walk = opening.result.transaction('drafts').objectStore('drafts').openCursor();
      walk.onsuccess = () => {
        const { result: cursor } = walk;
        if (cursor) {
          const key = cursor.key as string[];
          if (key[0] === slug) records.push([key, cursor.value]);
          cursor.continue();
          return;
        }
        opening.result.close();
        resolve();
      };
    };
  });
  return { records, texts: Object.entries(localStorage).filter(([key]) => key.startsWith(`octavo.draft.${slug}/`)) };
}

/** Runs in a page of the service. */
async function putLeft({ records, texts }: Left): Promise<void> {
  for (const [key, value] of texts) localStorage.setItem(key, value);
  await new Promise<void>((resolve, reject) => {
    const opening = indexedDB.open('octavo', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('drafts');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction('drafts', 'readwrite');
      for (const [key, value] of records) transaction.objectStore('drafts').put(value, key);
      transaction.oncomplete = () => {
        opening.result.close();
        resolve();
      };
    };
  });
}
