import { describe, expect, it } from 'vitest';
import { limits } from '../../../limits.ts';
import { readTexts, sortDropped } from './dropped-files.ts';

const file = (name: string, type = '', size = 10) => ({ name, type, size });

describe('dropped files', () => {
  it.each([
    [[file('a.md')], ['a.md'], undefined],
    [[file('A.TXT', 'text/plain'), file('b.markdown', 'text/markdown')], ['A.TXT', 'b.markdown'], undefined],
    [[file('README', 'text/plain')], ['README'], undefined],
    [[file('hill.png', 'image/png')], [], undefined],
    [
      [file('a.md'), file('plan.pdf', 'application/pdf'), file('b.zip', 'application/zip')],
      ['a.md'],
      '“plan.pdf”, “b.zip” can’t go into the text. Drop Markdown, text or images here. A ZIP archive goes on the list of pages.',
    ],
    [[file('hill.png', 'image/png'), file('plan.pdf', 'application/pdf'), file('b.PDF'), file('a.md')], ['a.md'], undefined],
    [[file('a.md', '', limits.maxMarkdownBytes)], ['a.md'], undefined],
    [[file('a.md', '', limits.maxMarkdownBytes + 1)], [], '“a.md” is too long: a page holds 1 MiB.'],
  ])('%j', (files, texts, refusal) => {
    const sorted = sortDropped(files, 'Drop');
    expect([sorted.texts.map(({ name }) => name), sorted.refusal]).toEqual([texts, refusal]);
  });

  it('and pasted ones are told apart in words', () => {
    expect(sortDropped([file('b.zip')], 'Paste').refusal).toContain('“b.zip” can’t go into the text. Paste Markdown,');
  });

  it('are read as UTF-8, one below the other', async () => {
    const read = (...parts: BlobPart[]) => readTexts(parts.map((part, at) => new File([part], `${at}.md`)));
    expect(await read('\ufeff# One\r\n\r\nwords\r\n', 'two\n\n')).toBe('# One\n\nwords\n\ntwo');
    await expect(read('fine', Uint8Array.of(0xff, 0xfe, 0x41, 0))).rejects.toThrow(
      '“1.md” was not inserted. Save it as UTF-8 text, and drop it again.',
    );
  });
});
