import { keysWithPrefix, readKey, removeKey, writeKey } from './device-storage.ts';

/** A notebook this browser owns: it holds the edit token (spec 1 §2 "Edit token"). */
export interface SavedNotebook {
  readonly slug: string;
  readonly title: string;
  readonly editToken: string;
  /** Milliseconds since 1970 UTC, like the server's clock said when the notebook was last seen. */
  readonly savedAt: number;
  /** RFC 3339, or null for never. */
  readonly expiresAt: string | null;
  /** What the server said when the home screen asked last. */
  readonly seen?: SeenState;
  /** When its one reader opened it, RFC 3339. */
  readonly openedAt?: string;
  /**
   * False while it was only opened by an edit link: the token is kept, so that a reload finds the way back, and the list of this browser
   * does not show it. A link in somebody's note must not put a notebook there.
   */
  readonly listed?: false;
  /** The key of a replacement of the edit link whose answer has not come: with it the new one is answered again. Any text, until it is used. */
  readonly replacing?: string;
}

export const seenStates = ['active', 'expired', 'burned', 'gone', 'taken-down'] as const;
export type SeenState = (typeof seenStates)[number];

/** One key for each notebook: two tabs that save different notebooks at once cannot lose one of them. */
export const notebookPrefix = 'octavo.notebook.';

/** @returns false when the browser kept nothing; the edit link is then the only way back, and the page must say so */
export function saveNotebook(notebook: SavedNotebook): boolean {
  return writeKey(notebookPrefix + notebook.slug, JSON.stringify(notebook));
}

export function findSavedNotebook(slug: string): SavedNotebook | undefined {
  return readSaved(readKey(notebookPrefix + slug));
}

/** Those that are in the list of this browser, last used first. */
export function listSavedNotebooks(): SavedNotebook[] {
  return listKeptNotebooks().filter(({ listed }) => listed !== false);
}

/** Puts one that was only opened into the list. @returns false when the browser did not keep that */
export function putInList(slug: string): boolean {
  const saved = findSavedNotebook(slug);
  if (!saved) return false;
  const { listed: _, ...known } = saved;
  return saveNotebook(known);
}

/** Everything whose edit token is kept here, listed or not. */
export function listKeptNotebooks(): SavedNotebook[] {
  return keysWithPrefix(notebookPrefix)
    .map(key => readSaved(readKey(key)))
    .filter(saved => saved !== undefined)
    .sort((one, other) => other.savedAt - one.savedAt);
}

export function forgetNotebook(slug: string): void {
  removeKey(notebookPrefix + slug);
}

/** Whatever lies under the key was not necessarily written by this version: it is read as untrusted input. */
function readSaved(text: string | undefined): SavedNotebook | undefined {
  if (text === undefined) return undefined;
  try {
    return readSavedNotebook(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Undefined for what is none. Unknown fields are left out. */
export function readSavedNotebook(value: unknown): SavedNotebook | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { slug, title, editToken, savedAt, expiresAt, seen, openedAt, listed, replacing } = value as Record<string, unknown>;
  if (typeof slug !== 'string' || !/^[a-z0-9-]{1,64}$/.test(slug)) return undefined;
  if (typeof editToken !== 'string' || !/^[\w-]{43}$/.test(editToken)) return undefined;
  const state = seenStates.find(known => known === seen);
  return {
    slug,
    editToken,
    title: typeof title === 'string' && title.trim() !== '' ? title.slice(0, 400) : slug,
    savedAt: typeof savedAt === 'number' && Number.isFinite(savedAt) ? savedAt : 0,
    expiresAt: typeof expiresAt === 'string' && expiresAt.length <= 40 ? expiresAt : null,
    ...(state === undefined ? {} : { seen: state }),
    ...(typeof openedAt === 'string' && !Number.isNaN(Date.parse(openedAt)) ? { openedAt } : {}),
    ...(listed === false ? { listed } : {}),
    ...(typeof replacing === 'string' ? { replacing } : {}),
  };
}
