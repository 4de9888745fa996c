import { keysWithPrefix, readKey, removeKey, writeKey } from './device-storage.ts';

/** A notebook this browser owns: it holds the edit token (spec 1 §2 "Edit token"). */
export interface SavedNotebook {
  readonly slug: string;
  readonly title: string;
  readonly editToken: string;
  /** When the notebook was last opened here: milliseconds since 1970 UTC, by this device's clock. */
  readonly savedAt: number;
  /** RFC 3339, or null for never. */
  readonly expiresAt: string | null;
  /** The server's answer when the home screen last asked. */
  readonly seen?: SeenState;
  /** When its one reader opened it, RFC 3339. */
  readonly openedAt?: string;
  /**
   * False while the notebook was only opened by an edit link. The token is kept so that a reload finds the way back, but this browser's
   * list does not show the notebook: a link in another person's note must not put one there.
   */
  readonly listed?: false;
  /** The key of an unanswered edit link replacement; with it the server repeats the new link. Any text: it is checked when it is used. */
  readonly replacing?: string;
}

export const seenStates = ['active', 'expired', 'burned', 'gone', 'taken-down'] as const;
export type SeenState = (typeof seenStates)[number];

/** Each notebook has its own key, so that two tabs saving different notebooks at once cannot lose one. */
export const notebookPrefix = 'octavo.notebook.';

/** @returns false when the browser kept nothing; the edit link is then the only way back, and the page must say so */
export function saveNotebook(notebook: SavedNotebook): boolean {
  return writeKey(notebookPrefix + notebook.slug, JSON.stringify(notebook));
}

export function findSavedNotebook(slug: string): SavedNotebook | undefined {
  return readSaved(readKey(notebookPrefix + slug));
}

/** The notebooks in this browser's list, last used first. */
export function listSavedNotebooks(): SavedNotebook[] {
  return listKeptNotebooks().filter(({ listed }) => listed !== false);
}

/** Adds to the list a notebook that was only opened. @returns false when the browser did not store it */
export function addToList(slug: string): boolean {
  const saved = findSavedNotebook(slug);
  if (!saved) return false;
  const { listed: _, ...known } = saved;
  return saveNotebook(known);
}

/** All notebooks whose edit token is kept here, listed or not, last used first. */
export function listKeptNotebooks(): SavedNotebook[] {
  return keysWithPrefix(notebookPrefix)
    .map(key => readSaved(readKey(key)))
    .filter(saved => saved !== undefined)
    .sort((one, other) => other.savedAt - one.savedAt);
}

export function forgetNotebook(slug: string): void {
  removeKey(notebookPrefix + slug);
}

/** Reads stored values as untrusted input, because another version may have written them. */
function readSaved(text: string | undefined): SavedNotebook | undefined {
  if (text === undefined) return undefined;
  try {
    return readSavedNotebook(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** @returns undefined for a value that is no saved notebook; unknown fields are left out */
export function readSavedNotebook(value: unknown): SavedNotebook | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { slug, title, editToken, savedAt, expiresAt, seen, openedAt, listed, replacing } = value as Record<string, unknown>;
  if (typeof slug !== 'string' || !/^[a-z0-9-]{1,64}$/.test(slug)) return undefined;
  if (typeof editToken !== 'string' || !/^[\w-]{43}$/.test(editToken)) return undefined;
  const state = seenStates.find(known => known === seen);
  return {
    slug,
    editToken,
    title: typeof title === 'string' && title.trim() !== '' ? title.slice(0, 400).replace(/\p{Cs}$/u, '') : slug,
    // A number that is no time would end the script that shows it (ECMAScript: at most 8.64e15).
    savedAt: typeof savedAt === 'number' && !Number.isNaN(new Date(savedAt).getTime()) ? savedAt : 0,
    expiresAt: typeof expiresAt === 'string' && expiresAt.length <= 40 ? expiresAt : null,
    ...(state === undefined ? {} : { seen: state }),
    ...(typeof openedAt === 'string' && !Number.isNaN(Date.parse(openedAt)) ? { openedAt } : {}),
    ...(listed === false ? { listed } : {}),
    ...(typeof replacing === 'string' ? { replacing } : {}),
  };
}
