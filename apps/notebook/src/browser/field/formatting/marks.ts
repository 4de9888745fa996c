import type { FieldText, TextEdit } from '../text/field-text.ts';
import { insertCodeBlock } from './code-block.ts';
import { lineStart } from './field-lines.ts';
import { outerPunctuation, takesMarks, touchesLetter } from './flanking.ts';

/** Each wraps the selection, or unwraps it if it is already wrapped. */
export const toggleBold = (field: FieldText): TextEdit => toggleMark(field, '**');
export const toggleStrike = (field: FieldText): TextEdit => toggleMark(field, '~~');
export const toggleHighlight = (field: FieldText): TextEdit => toggleMark(field, '==');

/** Uses `_` as GitHub does, but `*` beside a letter, where `_` marks nothing. */
export function toggleItalic(field: FieldText): TextEdit {
  const { text, start, end } = expandToWord(field);
  for (const mark of ['_', '*']) if (unwrap({ text, start, end }, mark)) return toggleMark(field, mark);
  return toggleMark(field, touchesLetter(before(text, start), after(text, end)) ? '*' : '_');
}

/** Several lines become a block of code, as in GitHub's comment box. */
export function toggleCode(field: FieldText): TextEdit {
  if (field.text.slice(field.start, field.end).includes('\n')) return insertCodeBlock(field);
  const { text, start, end } = expandToWord(field);
  const before = runBefore(text, start, '`');
  if (before > 0 && before === runAfter(text, end, '`')) return toggleMark(field, '`'.repeat(before));
  const longest = Math.max(0, ...[...text.slice(start, end).matchAll(/`+/g)].map(run => run[0].length));
  if (longest > 0 && text[start - 1] === ' ' && text[end] === ' ') {
    // Marks made below, around code that contains backticks.
    const marks = longest + 1;
    if (runBefore(text, start - 1, '`') === marks && runAfter(text, end + 1, '`') === marks) {
      const from = start - 1 - marks;
      return { from, to: end + 1 + marks, insert: text.slice(start, end), start: from, end: from + end - start };
    }
  }
  return longest === 0 ? toggleMark(field, '`') : wrap(trim({ text, start, end }), '`'.repeat(longest + 1), ' ');
}

function toggleMark(field: FieldText, mark: string): TextEdit {
  if (field.text.slice(field.start, field.end).trim().includes('\n')) return toggleEachLine(field, mark);
  const wide = expandToWord(field);
  const inside = trim(wide);
  const edit = unwrap(inside, mark) ?? wrapVisibly(inside, mark);
  if (wide === field || field.start !== field.end) return edit;
  // The caret keeps its place in the word.
  const caret = field.start + edit.start - wide.start;
  return { ...edit, start: caret, end: caret };
}

/** Where Markdown would show the marks as signs, punctuation stays outside of them; where that does not help, tags do the same. */
function wrapVisibly(field: FieldText, mark: string): TextEdit {
  const tag = tagOf[mark];
  if (tag === undefined || isFit(field)) return wrap(field, mark);
  const { text, start, end } = field;
  const outer = outerPunctuation(text.slice(start, end));
  const inner = { text, start: start + outer.before, end: end - outer.after };
  return inner.start < inner.end && isFit(inner) ? wrap(inner, mark) : wrap(field, `<${tag}>`, '', `</${tag}>`);
}

const tagOf: Readonly<Record<string, string>> = { '**': 'strong', '*': 'em', _: 'em', '~~': 'del' };

const isFit = ({ text, start, end }: FieldText): boolean =>
  takesMarks(text.slice(start, end), before(text, start), after(text, end));

/** Two characters, because one may be half of a sign. */
const before = (text: string, position: number): string => text.slice(Math.max(0, position - 2), position);
const after = (text: string, position: number): string => text.slice(position, position + 2);

function wrap({ text, start, end }: FieldText, mark: string, pad = '', closing = mark): TextEdit {
  const open = mark + pad;
  const insert = open + text.slice(start, end) + pad + closing;
  return { from: start, to: end, insert, start: start + open.length, end: end + open.length };
}

/** The marks may stand just outside the selection or be its own first and last characters. */
function unwrap(field: FieldText, mark: string): TextEdit | undefined {
  const { text, start, end } = field;
  const size = mark.length;
  if (isMarked(text, start, end, mark)) {
    const from = start - size;
    return { from, to: end + size, insert: text.slice(start, end), start: from, end: end - size };
  }
  const [from, to] = [start + size, end - size];
  if (from >= to || !isMarked(text, from, to, mark)) return unwrapTag(field, mark);
  return { from: start, to: end, insert: text.slice(from, to), start, end: to - size };
}

function unwrapTag({ text, start, end }: FieldText, mark: string): TextEdit | undefined {
  const tag = tagOf[mark];
  if (tag === undefined) return undefined;
  const [open, close] = [`<${tag}>`, `</${tag}>`];
  const wrapped = text.startsWith(open, start) ? [start, end] : [start - open.length, end + close.length];
  const [from, to] = wrapped as [number, number];
  if (from < 0 || to - from < open.length + close.length) return undefined;
  if (!text.startsWith(open, from) || !text.startsWith(close, to - close.length)) return undefined;
  const insert = text.slice(from + open.length, to - close.length);
  return { from, to, insert, start: from, end: from + insert.length };
}

/** `*` inside `**` is not italic; inside `***` it is, as `**` is bold. */
function isMarked(text: string, start: number, end: number, mark: string): boolean {
  const character = mark[0]!;
  return [runBefore(text, start, character), runAfter(text, end, character)].every(run => {
    if (character !== '*' && character !== '_') return run === mark.length;
    return run === mark.length || run === 3;
  });
}

function runBefore(text: string, position: number, character: string): number {
  let run = 0;
  while (text[position - run - 1] === character) run += 1;
  return run;
}

function runAfter(text: string, position: number, character: string): number {
  let run = 0;
  while (text[position + run] === character) run += 1;
  return run;
}

/** Markdown ignores marks next to a space, so spaces at the ends of the selection stay outside. */
function trim({ text, start, end }: FieldText): FieldText {
  const chosen = text.slice(start, end);
  if (chosen.trim() === '') return { text, start, end };
  return { text, start: start + chosen.length - chosen.trimStart().length, end: end - chosen.length + chosen.trimEnd().length };
}

/** Emphasis ends with its paragraph or list item, so each line is marked separately, after its list and quote marks. */
function toggleEachLine(field: FieldText, mark: string): TextEdit {
  const { text, start, end } = field;
  const parts: FieldText[] = [];
  for (let from = start; from < end; ) {
    const next = text.indexOf('\n', from);
    const to = next === -1 || next > end ? end : next;
    const prefix = from === lineStart(text, from) ? linePrefix.exec(text.slice(from, to))![0].length : 0;
    const part = trim({ text, start: from + prefix, end: to });
    if (text.slice(part.start, part.end).trim() !== '') parts.push(part);
    from = to + 1;
  }
  const taken = parts.map(part => unwrap(part, mark));
  const edits = taken.every(edit => edit !== undefined)
    ? taken
    : parts.map((part, place) => (taken[place] ? keep(part) : wrapVisibly(part, mark)));
  return join(field, edits);
}

const linePrefix = /^\s*(?:>\s?)*(?:(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?)?(?:#{1,6}\s+)?/;

const keep = ({ text, start, end }: FieldText): TextEdit => ({
  from: start,
  to: end,
  insert: text.slice(start, end),
  start,
  end,
});

/** Joins several edits into one, so that a single undo takes all of them back. */
function join({ text, start, end }: FieldText, edits: readonly TextEdit[]): TextEdit {
  const from = Math.min(start, edits[0]!.from);
  const to = Math.max(end, edits.at(-1)!.to);
  let insert = '';
  let at = from;
  for (const edit of edits) {
    insert += text.slice(at, edit.from) + edit.insert;
    at = edit.to;
  }
  insert += text.slice(at, to);
  return { from, to, insert, start: from, end: from + insert.length };
}

/** A caret inside a word selects the word. Scripts without spaces between words are left alone. */
function expandToWord(field: FieldText): FieldText {
  const { text, start, end } = field;
  if (start !== end || !isWordCharacter(text[start - 1]) || !isWordCharacter(text[start])) return field;
  let [from, to] = [start, start];
  while (isWordCharacter(text[from - 1])) from -= 1;
  while (isWordCharacter(text[to])) to += 1;
  return { text, start: from, end: to };
}

function isWordCharacter(character: string | undefined): boolean {
  if (character === undefined) return false;
  return (
    /[\p{L}\p{M}\p{N}]/u.test(character) &&
    !/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u.test(character)
  );
}
