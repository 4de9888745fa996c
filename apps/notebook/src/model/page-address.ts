import { limits } from '../limits.ts';
import { composed } from './mark-runs.ts';
import { type PageFile, type PageHead, pageTitle } from './notebook.ts';
import { markdownEnding } from './page-path.ts';
import { textStart } from './text-start.ts';

/** A title as words in an address: `Weekly plan (draft)` becomes `weekly-plan-draft`. Letters and digits of every script; may be empty. */
export function pageWords(title: string): string {
  const words = composed(title)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  return textStart(words, limits.maxPageAddressChars).replace(/^-|-$/g, '');
}

/** The words of titles that were folded last, those of several large notebooks: an address that no page has folds every title. */
const knownWords = new Map<string, string>();
const maxKnownWords = 1_000;

function wordsOf(title: string): string {
  const known = knownWords.get(title);
  if (known !== undefined) return known;
  const words = pageWords(title);
  if (knownWords.size === maxKnownWords) knownWords.clear();
  knownWords.set(title, words);
  return words;
}

/**
 * Finds the page for `/n/{slug}/p/{words}`, which works besides the id: a page with this id, or else the first whose title has these words.
 */
export function findPageAt(heads: readonly PageHead[], idOrWords: string): PageHead | undefined {
  // Long titles once had addresses that were cut in the middle of a character.
  const words = idOrWords.replace(/\uFFFD$/, '');
  return heads.find(({ id }) => id === idOrWords) ?? heads.find(head => wordsOf(pageTitle(head)) === words);
}

type PagePath = Pick<PageFile, 'pageId' | 'path'>;

const lastPart = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const withoutEnding = (path: string) => path.replace(markdownEnding, '');

/** Finds the page that a link from one file to another refers to, as note programs do. */
export class PageLinks<Linked extends { readonly id: string }> {
  readonly #pages: ReadonlyMap<string, Linked>;
  readonly #byPath = new Map<string, string>();
  readonly #byName = new Map<string, string>();
  readonly #byWords = new Map<string, string>();
  readonly #pathOf = new Map<string, string>();

  /** @param pages in order */
  constructor(pages: readonly Linked[], paths: readonly PagePath[], titleOf: (page: Linked) => string) {
    this.#pages = new Map(pages.map(page => [page.id, page]));
    for (const page of pages) setOnce(this.#byWords, pageWords(titleOf(page)), page.id);
    for (const { pageId, path } of paths) {
      const file = withoutEnding(composed(path));
      this.#pathOf.set(pageId, composed(path));
      setOnce(this.#byPath, file, pageId);
      setOnce(this.#byName, lastPart(file).toLowerCase(), pageId);
    }
  }

  /** @param link a relative path, still percent-encoded */
  find(fromPageId: string, link: string): Linked | undefined {
    const path = withoutEnding(resolve(this.#pathOf.get(fromPageId) ?? '', link));
    const name = lastPart(path);
    const id = this.#byPath.get(path) ?? this.#byName.get(name.toLowerCase()) ?? this.#byWords.get(pageWords(name));
    return id === undefined ? undefined : this.#pages.get(id);
  }
}

function setOnce(map: Map<string, string>, key: string, value: string): void {
  if (!map.has(key)) map.set(key, value);
}

function resolve(fromPath: string, link: string): string {
  const segments = link.startsWith('/') ? [] : fromPath.split('/').slice(0, -1);
  for (const segment of decoded(link).split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return composed(segments.join('/'));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
