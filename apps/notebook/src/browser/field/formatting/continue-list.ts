import type { FieldText, TextEdit } from '../text/field-text.ts';
import { findFence } from './fence.ts';
import { lineEnd, lineStart } from './field-lines.ts';
import { readListItem } from './list-items.ts';

/** Enter in a list or quote begins the next item; on an empty item it ends the list. Undefined where Enter is only a line break. */
export function continueList(field: FieldText): TextEdit | undefined {
  const { text, start, end } = field;
  const from = lineStart(text, start);
  const line = text.slice(from, lineEnd(text, start));
  const item = readListItem(line);
  const prefix = item?.prefix ?? /^(?:\s{0,3}>(?: |$))+/.exec(line)?.[0];
  if (!prefix?.endsWith(' ') || start < from + prefix.length || findFence(text, start)) return undefined;
  if (line.length === prefix.length) return start === end ? endList(field, from, item?.before ?? outerQuote(prefix)) : undefined;
  const next = item ? item.before + nextMarker(item) : prefix;
  // Spaces after the break would end up at the start of the new item.
  const to = end + /^ */.exec(text.slice(end, lineEnd(text, end)))![0].length;
  const insert = `\n${next}`;
  const caret = start + insert.length;
  const after = item?.kind === 'numbered' ? renumber(text, to, item.before, item.number + 1) : { to, insert: '' };
  return { from: start, to: after.to, insert: insert + after.insert, start: caret, end: caret };
}

function nextMarker({ kind, marker, number, prefix, before }: NonNullable<ReturnType<typeof readListItem>>): string {
  if (kind === 'task') return `${marker} [ ] `;
  const space = prefix.slice(before.length + marker.length) || ' ';
  // A numbered item may be a task too, and the next one is not done yet.
  return kind === 'numbered' ? `${number + 1}${marker.at(-1)}${space.replace(/\[[xX]\]/, '[ ]')}` : marker + space;
}

/** Removes the innermost mark. A list inside a quote leaves the quote mark, which the next Enter removes. */
function endList({ text }: FieldText, from: number, left: string): TextEdit {
  const kept = left.includes('>') ? left : '';
  const caret = from + kept.length;
  return { from, to: lineEnd(text, from), insert: kept, start: caret, end: caret };
}

const outerQuote = (prefix: string): string => prefix.replace(/> ?$/, '');

/** Renumbers the items below that continued the count of the split item. */
function renumber(text: string, to: number, before: string, first: number): { to: number; insert: string } {
  const lines: string[] = [text.slice(to, lineEnd(text, to))];
  let [expected, at, changed] = [first, lineEnd(text, to), 0];
  let reach = to;
  while (at < text.length) {
    const line = text.slice(at + 1, lineEnd(text, at + 1));
    const item = readListItem(line);
    if (item?.kind === 'numbered' && item.before === before) {
      if (item.number !== expected) break;
      expected += 1;
      changed = lines.push(line.replace(/\d+/, String(expected)));
      reach = at + 1 + line.length;
    } else if (/^\s/.test(line) && line.length > before.length) lines.push(line);
    else break;
    at += 1 + line.length;
  }
  return { to: reach, insert: lines.slice(0, changed).join('\n') };
}
