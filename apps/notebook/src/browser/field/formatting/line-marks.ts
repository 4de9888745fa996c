import type { FieldText, TextEdit } from '../text/field-text.ts';
import { changeLines, lineStart, touchedLines } from './field-lines.ts';
import { type ListKind, readListItem } from './list-items.ts';

/** Puts the mark before every touched line, or removes it when all of them have it. */
export function toggleQuote(field: FieldText): TextEdit {
  const all = linesOf(field).every(line => /^\s*>/.test(line));
  // An empty line inside a quote needs no space after its mark, except when the caret is on it.
  const empty = field.start === field.end ? '> ' : '>';
  return changeLines(field, line => (all ? line.replace(/^(\s*)> ?/, '$1') : line === '' ? empty : `> ${line}`));
}

export function toggleList(field: FieldText, kind: ListKind): TextEdit {
  const lines = linesOf(field);
  const single = lines.length === 1;
  const items = lines.filter(line => single || line.trim() !== '').map(readListItem);
  const all = items.length > 0 && items.every(item => item?.kind === kind);
  let number = kind === 'numbered' ? numberBefore(field) : 0;
  return changeLines(field, line => {
    if (!single && line.trim() === '') return line;
    const item = readListItem(line);
    const before = item?.before ?? /^(?:\s*>)*\s*/.exec(line)![0];
    const words = line.slice(item ? item.prefix.length : before.length);
    number += 1;
    return before + (all ? '' : markerOf(kind, number, item?.box)) + words;
  });
}

/** @param box of the item that becomes another: what is done stays done */
function markerOf(kind: ListKind, number: number, box = '[ ]'): string {
  if (kind === 'numbered') return `${number}. `;
  return kind === 'task' ? `- ${box} ` : '- ';
}

/** The number of the item on the line above, from which the list goes on counting. */
function numberBefore(field: FieldText): number {
  const { from } = touchedLines(field);
  if (from === 0) return 0;
  const item = readListItem(field.text.slice(lineStart(field.text, from - 1), from - 1));
  return item?.kind === 'numbered' ? item.number : 0;
}

/** Level 0 removes the mark; so does the level the lines already have. */
export function setHeading(field: FieldText, level: number): TextEdit {
  const lines = linesOf(field);
  const has = lines.filter(line => lines.length === 1 || line.trim() !== '').every(line => levelOf(line) === level);
  const mark = has || level === 0 ? '' : `${'#'.repeat(level)} `;
  return changeLines(field, line => {
    if (lines.length > 1 && line.trim() === '') return line;
    return line.replace(/^(\s{0,3}(?:> ?)*)(?:#{1,6}(?:\s+|$))?/, `$1${mark}`);
  });
}

/** Goes through heading levels 1, 2 and 3, then none. */
export function cycleHeading(field: FieldText): TextEdit {
  const level = levelOf(linesOf(field)[0]!);
  return setHeading(field, level >= 3 ? 0 : level + 1);
}

const levelOf = (line: string): number => /^\s{0,3}(?:> ?)*(#{1,6})(?:\s|$)/.exec(line)?.[1]?.length ?? 0;

function linesOf(field: FieldText): string[] {
  const { from, to } = touchedLines(field);
  return field.text.slice(from, to).split('\n');
}
