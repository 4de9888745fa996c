import type { NewPage } from './editor-page.ts';

const newPrefix = 'new-';

/** Not `randomUUID`, which browsers keep from pages that came over plain http from another machine. */
export function newPageKey(): string {
  return newPrefix + [...crypto.getRandomValues(new Uint8Array(12))].map(byte => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether a page has a key for an id, because the server does not have it yet. */
export const isPageKey = (id: string) => id.startsWith(newPrefix);

/** Keys of pages that are to be added. An answer may be lost, so what is tried again has the key that it had. */
export class PageKeys {
  readonly #keys = new WeakMap<object, string>();

  #wanted: { readonly page: string; readonly key: string } | undefined;

  /** Of what a page is made of. */
  of(source: object): string {
    const key = this.#keys.get(source) ?? newPageKey();
    this.#keys.set(source, key);
    return key;
  }

  /** Of a page that a person asked for, the same until `know`. */
  ofWanted(page: NewPage): string {
    const wanted = JSON.stringify(page);
    this.#wanted = this.#wanted?.page === wanted ? this.#wanted : { page: wanted, key: newPageKey() };
    return this.#wanted.key;
  }

  /** Whether it was added is known now: the same page asked for again is another one. */
  know(): void {
    this.#wanted = undefined;
  }
}
