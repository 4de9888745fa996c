import {
  addToList,
  findSavedNotebook,
  listSavedNotebooks,
  readSavedNotebook,
  type SavedNotebook,
  saveNotebook,
} from '../device/saved-notebooks.ts';

/** More than local storage holds (5 Mi characters, of 3 bytes at most), so that every list that was saved here can be imported. */
export const maxListFileBytes = 20 * 1_048_576;

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

/** @throws Error with a sentence for the person who chose the file. The size is checked first: a larger file is never read. */
export async function openListFile(file: Pick<File, 'size' | 'text'>): Promise<ListFile> {
  if (file.size > maxListFileBytes) {
    const [size, most] = [file.size, maxListFileBytes].map(bytes => bytes.toLocaleString('en'));
    throw new Error(`That file is too large for a list of notebooks: ${size} bytes, at most 20 MiB (${most} bytes).`);
  }
  return readListFile(await file.text());
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
  /** Entries not taken, because this browser had the same, a newer one, or another edit link that works. */
  readonly stayed: number;
  /** Entries with another edit link that were not taken, because the one here may still work. */
  readonly unsure: number;
  /** Entries the browser refused to store. */
  readonly refused: number;
}

/** Asks the service whether an edit link opens its notebook; undefined when there is no answer. */
export type Works = (editToken: string) => Promise<boolean | undefined>;

/**
 * The entry used last wins over another with the same edit link. Another edit link than the one here takes its place only if the one here
 * no longer works: the times come from clocks that may be wrong, anybody may have written the file, and a lost edit link can't be recovered.
 */
export async function mergeList(notebooks: readonly SavedNotebook[], works: Works): Promise<Merged> {
  const merged = { added: 0, updated: 0, stayed: 0, unsure: 0, refused: 0 };
  for (const notebook of notebooks) merged[await mergeEntry(notebook, works)] += 1;
  return merged;
}

async function mergeEntry(notebook: SavedNotebook, works: Works): Promise<keyof Merged> {
  const { slug, editToken, savedAt } = notebook;
  const before = findSavedNotebook(slug);
  const hereWorks = before && before.editToken !== editToken ? await works(before.editToken) : undefined;
  // Read again, because another tab may have stored another one meanwhile.
  const here = findSavedNotebook(slug);
  if (!here) return saveNotebook(notebook) ? 'added' : 'refused';
  const isSame = here.editToken === editToken;
  const isKnown = hereWorks !== undefined && here.editToken === before?.editToken && here.replacing === undefined;
  if (!isSame && !isKnown) return 'unsure';
  const stays = isSame ? here.savedAt >= savedAt : hereWorks;
  if (stays) return here.listed !== false || addToList(slug) ? 'stayed' : 'refused';
  // The key of an unanswered replacement of the same edit link is known only here.
  const { listed: _, ...known } = here;
  return saveNotebook(isSame ? { ...known, ...notebook } : notebook) ? 'updated' : 'refused';
}

export function mergedWords({ added, updated, stayed, unsure, refused }: Merged, notUnderstood: number): string {
  const counted = (count: number, words: string) => (count === 0 ? [] : [`${count} ${words}`]);
  const parts = [
    ...counted(added, 'added'),
    ...counted(updated, 'brought up to date'),
    ...counted(stayed, 'already here'),
    ...counted(unsure, 'left as before, because the edit link here may still work'),
    ...counted(refused, 'refused by this browser, whose storage is full or blocked'),
    ...counted(notUnderstood, 'not understood'),
  ];
  return parts.length === 0 ? 'The file holds no notebooks.' : `${parts.join(', ')}.`;
}
