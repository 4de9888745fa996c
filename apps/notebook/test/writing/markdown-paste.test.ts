import { describe, expect, it } from 'vitest';
import { markdownPaste } from '../../src/browser/field/paste/paste-edit.ts';
import { readMarked, writeMarked } from './marked-text.ts';

const paste = (marked: string, markdown: string): string => {
  const field = readMarked(marked);
  const { from, to, insert, start, end } = markdownPaste(field, markdown);
  return writeMarked({ text: field.text.slice(0, from) + insert + field.text.slice(to), start, end });
};
const table = '| a |\n| --- |\n| b |';

describe('pasted Markdown', () => {
  it.each([
    ['a|b', '**c**', 'a**c**|b'],
    ['a|b', '- c', 'a\n\n- c|\n\nb'],
    ['a\n|', '- c', 'a\n- c|'],
    ['|\nwords', table, `${table}|\n\nwords`],
    ['|\nwords', '- c\n- d', '- c\n- d|\n\nwords'],
    ['|\n\nwords', table, `${table}|\n\nwords`],
    ['- a\n|\n- d', '- b\n- c', '- a\n- b\n- c|\n- d'],
    ['words\n|', '---\n\nc', 'words\n\n---\n\nc|'],
    ['|', '---', '---|'],
  ])('%j + %j', (before, markdown, after) => expect(paste(before, markdown)).toBe(after));
});
