import type { FieldText, TextEdit } from '../../src/browser/field/text/field-text.ts';

/** `a{b}c`: `b` is selected. `a|c`: a caret; with braces in the text a bar is only a bar. */
export function readMarked(marked: string): FieldText {
  if (!marked.includes('{')) {
    const start = marked.indexOf('|');
    return { text: marked.replace('|', ''), start, end: start };
  }
  const start = marked.indexOf('{');
  return { text: marked.replace(/[{]/, '').replace(/[}]/, ''), start, end: marked.indexOf('}') - 1 };
}

export function writeMarked({ text, start, end }: FieldText): string {
  if (start === end) return `${text.slice(0, start)}|${text.slice(start)}`;
  return `${text.slice(0, start)}{${text.slice(start, end)}}${text.slice(end)}`;
}

export function edited({ text }: FieldText, { from, to, insert, start, end }: TextEdit): FieldText {
  return { text: text.slice(0, from) + insert + text.slice(to), start, end };
}
