import type { FieldText, TextEdit } from '../text/field-text.ts';

/** A placeholder's position in a text. */
export interface Placed {
  readonly id: string;
  readonly from: number;
  readonly to: number;
}

const longestName = 40;

/** Bounded, so that a text full of brackets stays cheap. The name may be edited while the upload runs. */
const anyPlaceholder = /\[Uploading [^[\]\n]{0,120}#([a-z0-9]{6})\]/g;

/**
 * The placeholder in the text while an image uploads: plain words, whatever the file is called. We never write an image link with an
 * empty source, because browsers load the page itself for it (spec 1 §2 "Image pipeline" 5).
 */
export function placeholderText(fileName: string, id: string): string {
  const plain = fileName.replaceAll(/[^\p{L}\p{N}._-]+/gu, ' ').trim();
  const short = [...plain].slice(0, longestName).join('').trim();
  return `[Uploading ${short || 'image'}… #${id}]`;
}

/** @param taken texts that must not already contain the new id */
export function createPlaceholderId(randomBytes: (size: number) => Uint8Array, taken: readonly string[]): string {
  for (;;) {
    const id = [...randomBytes(6)].map(byte => (byte % 36).toString(36)).join('');
    if (!taken.some(text => text.includes(`#${id}]`))) return id;
  }
}

/** Finds placeholders in the order of the text. An id may occur more than once, because people copy text. */
export function findPlaceholders(text: string): Placed[] {
  return [...text.matchAll(anyPlaceholder)].map(match => ({
    id: match[1]!,
    from: match.index,
    to: match.index + match[0].length,
  }));
}

export function hasPlaceholder(text: string, id: string): boolean {
  return findPlaceholders(text).some(placed => placed.id === id);
}

/** Replaces one range and keeps the person's selection on the characters it was on. */
export function replaceRange(field: FieldText, { from, to }: Pick<Placed, 'from' | 'to'>, insert: string): TextEdit {
  const moved = (place: number): number => {
    if (place <= from) return place;
    return place >= to ? place - (to - from) + insert.length : from + insert.length;
  };
  return { from, to, insert, start: moved(field.start), end: moved(field.end) };
}

/** Replaces every placeholder with one of these ids, in a text that no field shows. */
export function fillText(text: string, settled: ReadonlyMap<string, string>): string {
  return text.replaceAll(anyPlaceholder, (whole, id: string) => settled.get(id) ?? whole);
}
