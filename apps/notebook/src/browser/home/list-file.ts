import {
  addToList,
  findSavedNotebook,
  listSavedNotebooks,
  readSavedNotebook,
  type SavedNotebook,
  saveNotebook,
} from '../device/saved-notebooks.ts';

/** Room for two thousand notebooks; nobody's list is longer. */
export const maxListFileBytes = 1_048_576;

export interface ListFile {
  /** The service that the edit links belong to. They must never be sent to another. */
  readonly origin: string;
  readonly notebooks: readonly SavedNotebook[];
  /** How many entries were not notebooks. */
  readonly notUnderstood: number;
}

export function writeListFile(origin: string, now: Date): string {
  const notebooks = listSavedNotebooks();
  return `${JSON.stringify({ format: 'octavo-notebooks', version: 1, origin, savedAt: now.toISOString(), notebooks }, null, 2)}\n`;
}

/** @throws Error with a sentence for the person who chose the file */
export function readListFile(text: string): ListFile {
  const value = parse(text);
  if (value?.format !== 'octavo-notebooks' || !Array.isArray(value.notebooks) || typeof value.origin !== 'string')
    throw new Error('That file is not a notebook list from this site.');
  if (value.version !== 1) throw new Error('That list was saved by a newer version of this site.');
  const entries = value.notebooks.map(readSavedNotebook);
  const notebooks = entries.filter(entry => entry !== undefined);
  return { origin: value.origin, notebooks, notUnderstood: entries.length - notebooks.length };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

export interface Merged {
  readonly added: number;
  readonly updated: number;
  /** Entries not taken, because this browser had the same or a newer one. */
  readonly stayed: number;
  /** Entries the browser refused to store. */
  readonly refused: number;
}

/** The entry used last wins, so a replaced edit link never overwrites the one that replaced it. */
export function mergeList(notebooks: readonly SavedNotebook[]): Merged {
  const merged = { added: 0, updated: 0, stayed: 0, refused: 0 };
  for (const notebook of notebooks) {
    const here = findSavedNotebook(notebook.slug);
    if (here && here.savedAt >= notebook.savedAt && (here.listed !== false || addToList(here.slug))) merged.stayed += 1;
    else if (!saveNotebook(notebook)) merged.refused += 1;
    else merged[here ? 'updated' : 'added'] += 1;
  }
  return merged;
}

export function mergedWords({ added, updated, stayed, refused }: Merged, notUnderstood: number): string {
  const counted = (count: number, words: string) => (count === 0 ? [] : [`${count} ${words}`]);
  const parts = [
    ...counted(added, 'added'),
    ...counted(updated, 'brought up to date'),
    ...counted(stayed, 'already here'),
    ...counted(refused, 'refused by this browser, whose storage is full or blocked'),
    ...counted(notUnderstood, 'not understood'),
  ];
  return parts.length === 0 ? 'The file holds no notebooks.' : `${parts.join(', ')}.`;
}
