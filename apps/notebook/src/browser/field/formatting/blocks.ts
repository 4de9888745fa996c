import type { FieldText, TextEdit } from '../text/field-text.ts';
import { lineEnd, lineStart, touchedLines } from './field-lines.ts';

export const alertKinds = ['Note', 'Tip', 'Important', 'Warning', 'Caution'] as const;
export type AlertKind = (typeof alertKinds)[number];

/** Inserts an alert: a quote with a title that GitHub colors. Inside an alert it changes the kind. */
export function insertAlert(field: FieldText, kind: AlertKind): TextEdit {
  const title = `[!${kind.toUpperCase()}]`;
  const present = findAlertTitle(field);
  if (present) {
    const growth = title.length - (present.to - present.from);
    const stay = (position: number): number => (position >= present.to ? position + growth : Math.min(position, present.from));
    return { ...present, insert: title, start: stay(field.start), end: stay(field.end) };
  }
  const { from, to } = touchedLines(field);
  const words = field.text.slice(from, to);
  const quoted = words
    .split('\n')
    .map(line => `> ${line}`.trimEnd())
    .join('\n');
  const head = `> ${title}\n`;
  return place({ ...field, start: from, end: to }, head + (words === '' ? '> ' : quoted), [head.length + 2, 0]);
}

/** Finds the alert title of the quote that the caret is in. */
function findAlertTitle({ text, start }: FieldText): { from: number; to: number } | undefined {
  for (let from = lineStart(text, start); ; from = lineStart(text, from - 1)) {
    const line = text.slice(from, lineEnd(text, from));
    const title = /^\s{0,3}>\s*(\[!\w+\])\s*$/.exec(line)?.[1];
    if (title) return { from: from + line.indexOf(title), to: from + line.indexOf(title) + title.length };
    if (from === 0 || !/^\s{0,3}>/.test(line)) return undefined;
  }
}

/** Inserts a part that readers can open. The touched lines go inside, and the summary is selected to be typed over. */
export function insertDetails(field: FieldText): TextEdit {
  const { from, to } = touchedLines(field);
  const words = field.text.slice(from, to);
  const [head, summary] = ['<details>\n<summary>', 'Summary'];
  const body = words === '' ? 'More' : words;
  return place({ ...field, start: from, end: to }, `${head}${summary}</summary>\n\n${body}\n\n</details>`, [
    head.length,
    summary.length,
  ]);
}

export function insertDivider(field: FieldText): TextEdit {
  const end = lineEnd(field.text, field.end);
  const edit = place({ ...field, start: end, end }, '---', [3, 0]);
  // The caret goes below the divider, after line feeds that were already there, because writing continues there.
  const feeds = edit.insert.length - edit.insert.indexOf('---') - 3;
  const caret = edit.from + edit.insert.length + (end === field.text.length ? 0 : 2 - feeds);
  return { ...edit, start: caret, end: caret };
}

export interface TableSize {
  readonly columns: number;
  readonly rows: number;
}

export function insertTable(field: FieldText, { columns, rows }: TableSize): TextEdit {
  const end = lineEnd(field.text, field.end);
  const names = Array.from({ length: columns }, (_, place) => `Column ${place + 1}`);
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const lines = [row(names), row(names.map(name => '-'.repeat(name.length)))];
  for (let made = 0; made < rows; made++) lines.push(row(names.map(name => ' '.repeat(name.length))));
  return place({ ...field, start: end, end }, lines.join('\n'), [2, names[0]!.length]);
}

/**
 * Replaces `start`–`end`, which are whole lines or a line's end, by a block with an empty line before and after it: without one a
 * paragraph above `---` becomes a heading, and one below a table its last row.
 */
function place({ text, start, end }: FieldText, block: string, [chosenAt, chosenLength]: [number, number]): TextEdit {
  // super-linear: the text is two characters at most.
  const before = missingFeeds(text.slice(Math.max(0, start - 2), start), start === 0, feeds => /\n*$/.exec(feeds)![0].length);
  const rest = text.slice(end, end + 2);
  const after = end === text.length ? '\n' : missingFeeds(rest, false, feeds => /^\n*/.exec(feeds)![0].length);
  const from = start + before.length + chosenAt;
  return { from: start, to: end, insert: before + block + after, start: from, end: from + chosenLength };
}

function missingFeeds(near: string, atEdge: boolean, count: (near: string) => number): string {
  return atEdge ? '' : '\n'.repeat(Math.max(0, 2 - count(near)));
}
