import type { FieldText, TextEdit } from '../text/field-text.ts';
import { lineEnd, lineStart } from './field-lines.ts';

/** Makes the selection the link's text, or its address if it is one. Inside a link it leaves only the text. */
export function toggleLink(field: FieldText): TextEdit {
  const around = findLink(field);
  if (around) return unlink(field, around);
  const { text, start, end } = field;
  const chosen = text.slice(start, end);
  if (isWebAddress(chosen)) return { from: start, to: end, insert: `[](${chosen})`, start: start + 1, end: start + 1 };
  const insert = `[${chosen}](url)`;
  if (chosen === '') return { from: start, to: end, insert, start: start + 1, end: start + 1 };
  const address = end + '[]('.length;
  return { from: start, to: end, insert, start: address, end: address + 'url'.length };
}

/** Links the selected words to a pasted address. */
export function linkTo({ text, start, end }: FieldText, address: string): TextEdit {
  const insert = `[${text.slice(start, end)}](${address})`;
  return { from: start, to: end, insert, start: start + insert.length, end: start + insert.length };
}

export function isWebAddress(text: string): boolean {
  return /^(?:https?:\/\/|mailto:)[^\s<>()[\]]+(?:\([^\s<>()]*\)[^\s<>()]*)*$/i.test(text) && URL.canParse(text);
}

interface Link {
  readonly from: number;
  readonly to: number;
  readonly words: string;
}

/** Words, which may hold brackets, then an address and perhaps a title. */
const writtenLink =
  // super-linear: a second "(", "[" or quote in a row ends the run, and the beginning of a link within it has one.
  /(?<![!\\])\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(\s*(?:(?:<[^<>]*>|(?:[^()\s]|\([^()\s]*\))+)(?:\s+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?\s*)?\)/g;

function findLink({ text, start, end }: FieldText): Link | undefined {
  const from = lineStart(text, start);
  const line = text.slice(from, lineEnd(text, start));
  for (const found of line.matchAll(writtenLink)) {
    const at = from + found.index;
    if (at <= start && end <= at + found[0].length && start < at + found[0].length) {
      return { from: at, to: at + found[0].length, words: found[1]! };
    }
  }
  return undefined;
}

function unlink({ start, end }: FieldText, { from, to, words }: Link): TextEdit {
  const stay = (position: number): number => from + Math.min(Math.max(position - from - 1, 0), words.length);
  return { from, to, insert: words, start: stay(start), end: stay(end) };
}
