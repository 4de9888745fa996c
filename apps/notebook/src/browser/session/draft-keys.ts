import { keysWithPrefix, readKey, removeKey, writeKey } from '../device/device-storage.ts';
import { type AbandonedDraft, type Draft, readDraft } from './draft.ts';

/**
 * Drafts in local storage, one key each: for browsers where IndexedDB is missing, blocked or full, for the last moment of a page, and for
 * reading drafts that older versions stored here.
 */
const prefix = 'octavo.draft.';

const keyOf = (slug: string, pageId: string, tab: string) => `${prefix}${slug}/${pageId}/${tab}`;

/** @returns false when the browser kept nothing */
export function keepInKeys(slug: string, tab: string, draft: Draft): boolean {
  const key = keyOf(slug, draft.pageId, tab);
  if (writeKey(key, JSON.stringify(draft))) return true;
  // Without its base the text cannot be merged, only compared, but that is better than nothing.
  const { baseMarkdown: _base, sent: _sent, ...text } = draft;
  return writeKey(key, JSON.stringify(text));
}

export function dropFromKeys(slug: string, tab: string, pageId: string): void {
  removeKey(keyOf(slug, pageId, tab));
}

export function listInKeys(slug: string): AbandonedDraft[] {
  return keysWithPrefix(`${prefix}${slug}/`).flatMap(key => {
    const [, pageId = '', tab = ''] = key.slice(prefix.length).split('/');
    const draft = readDraft(pageId, parse(readKey(key)));
    return draft ? [{ ...draft, tab }] : [];
  });
}

export function forgetKeys(slug: string): void {
  for (const start of [prefix, titlePrefix]) for (const key of keysWithPrefix(`${start}${slug}/`)) removeKey(key);
}

/** A title that was typed and is not saved, of a page or of the notebook. It is short, so a key can hold it at once. */
export interface TypedTitle {
  readonly pageId: string;
  readonly title: string;
  /** The title that it replaces. */
  readonly before: string;
  /** Milliseconds since 1970 UTC, by this device's clock. */
  readonly at: number;
}

const titlePrefix = 'octavo.title.';

const titleKey = (slug: string, pageId: string, tab: string) => `${titlePrefix}${slug}/${pageId}/${tab}`;

export function keepTitle(slug: string, tab: string, { pageId, ...typed }: TypedTitle): void {
  writeKey(titleKey(slug, pageId, tab), JSON.stringify(typed));
}

export function dropTitle(slug: string, tab: string, pageId: string): void {
  removeKey(titleKey(slug, pageId, tab));
}

/** The titles typed in every tab, newest first. */
export function listTitles(slug: string): (TypedTitle & { readonly tab: string })[] {
  const found = keysWithPrefix(`${titlePrefix}${slug}/`).flatMap(key => {
    const [, pageId = '', tab = ''] = key.slice(titlePrefix.length).split('/');
    const { title, before, at } = (parse(readKey(key)) ?? {}) as Record<string, unknown>;
    if (typeof title !== 'string' || typeof before !== 'string' || typeof at !== 'number') return [];
    return [{ pageId, tab, title, before, at }];
  });
  return found.sort((one, other) => other.at - one.at);
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}
