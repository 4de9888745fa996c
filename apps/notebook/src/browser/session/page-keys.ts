import { randomKey } from '../device/random-key.ts';
import type { NewPage } from './editor-page.ts';

const newPrefix = 'new-';

export function newPageKey(): string {
  return newPrefix + randomKey(12);
}

/** Whether an id is still a key, because the server does not have the page yet. */
export const isPageKey = (id: string) => id.startsWith(newPrefix);

/** Idempotency keys of pages being added. An answer may be lost, so a retry sends the same key. */
export class PageKeys {
  readonly #keys = new WeakMap<object, { readonly text: string; readonly key: string }>();

  #requested: { readonly page: string; readonly key: string } | undefined;

  /** The key for a page made from `source`. Another text makes another page, so it gets another key. */
  forSource(source: object, text = ''): string {
    const known = this.#keys.get(source);
    const made = known?.text === text ? known : { text, key: newPageKey() };
    this.#keys.set(source, made);
    return made.key;
  }

  /** The key for a page that a person asked for; the same page gets the same key until `endRequest`. */
  forRequest(page: NewPage): string {
    const wanted = JSON.stringify(page);
    this.#requested = this.#requested?.page === wanted ? this.#requested : { page: wanted, key: newPageKey() };
    return this.#requested.key;
  }

  /** Called when we know whether the wanted page was added: asking for the same page again means another one. */
  endRequest(): void {
    this.#requested = undefined;
  }
}
