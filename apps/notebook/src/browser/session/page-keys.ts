import { randomKey } from '../device/random-key.ts';
import type { NewPage } from './editor-page.ts';

const newPrefix = 'new-';

export function newPageKey(): string {
  return newPrefix + randomKey(12);
}

/** Whether a page has a key for an id, because the server does not have it yet. */
export const isPageKey = (id: string) => id.startsWith(newPrefix);

/** Keys of pages that are to be added. An answer may be lost, so what is tried again has the key that it had. */
export class PageKeys {
  readonly #keys = new WeakMap<object, { readonly text: string; readonly key: string }>();

  #wanted: { readonly page: string; readonly key: string } | undefined;

  /** Of what a page is made of, and of what that says now: another text is another page. */
  of(source: object, text = ''): string {
    const known = this.#keys.get(source);
    const made = known?.text === text ? known : { text, key: newPageKey() };
    this.#keys.set(source, made);
    return made.key;
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
