import type { ImportedFile, Notebook, Page } from './notebook.ts';

export function countMarkdownBytes(pages: Iterable<Pick<Page, 'markdown'>>): number {
  let bytes = 0;
  for (const { markdown } of pages) bytes += Buffer.byteLength(markdown);
  return bytes;
}

/** The size of a page's file record, which counts as text of the notebook. The database adds it (migration 0013). */
export function countFileBytes(file: ImportedFile | undefined): number {
  return file ? Buffer.byteLength(file.path) + Buffer.byteLength(file.patch) : 0;
}

/** A change that makes a notebook smaller is always accepted, even while it exceeds the limit. */
export function hasRoomForText({ markdownBytes }: Notebook, growsBytes: number, maxBytes: number): boolean {
  return growsBytes <= 0 || markdownBytes + growsBytes <= maxBytes;
}
