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
  for (const key of keysWithPrefix(`${prefix}${slug}/`)) removeKey(key);
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}
