import type { FieldText, TextEdit } from '../text/field-text.ts';

/** The range of the lines that the selection touches. A selection that ends just before a line's first character does not touch it. */
export function touchedLines({ text, start, end }: FieldText): { from: number; to: number } {
  const lastTouched = end > start && text[end - 1] === '\n' ? end - 1 : end;
  return { from: lineStart(text, start), to: lineEnd(text, lastTouched) };
}

export function lineStart(text: string, position: number): number {
  return position === 0 ? 0 : text.lastIndexOf('\n', position - 1) + 1;
}

export function lineEnd(text: string, position: number): number {
  const next = text.indexOf('\n', position);
  return next === -1 ? text.length : next;
}

/** Changes every touched line at its start. The selection stays on the same words. */
export function changeLines(field: FieldText, change: (line: string, place: number) => string): TextEdit {
  const { from, to } = touchedLines(field);
  const lines = field.text.slice(from, to).split('\n');
  const changed = lines.map(change);
  const insert = changed.join('\n');
  const start = Math.max(from, field.start + changed[0]!.length - lines[0]!.length);
  // A caret inside removed characters lands at the line's start, not on the line before.
  const end = Math.max(start, field.end + insert.length - (to - from));
  return { from, to, insert, start, end: field.start === field.end ? start : end };
}
