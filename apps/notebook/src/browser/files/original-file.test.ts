import { describe, expect, it } from 'vitest';
import { makePatch, putAddresses, restoreFile } from './original-file.ts';

const put = (text: string) => putAddresses('a.md', text, new Map());
const most = 100_000;

describe('the patch of a page', () => {
  it('is empty for a page that is its file, and none when it would be too long', () => {
    expect(makePatch(put('one\n'), 'one\n', 0)).toBe('');
    const patch = makePatch(put('one\n'), 'one\n%%two%%\n', most)!;
    expect(makePatch(put('one\n'), 'one\n%%two%%\n', patch.length)).toBe(patch);
    expect(makePatch(put('one\n'), 'one\n%%two%%\n', patch.length - 1)).toBeUndefined();
  });

  it.each([
    ['no diff', '--- page\n+++ file\n@@ nonsense @@\n'],
    ['a diff of two files', '--- a\n+++ b\n@@ -1,1 +1,1 @@\n-one\n+other\n--- c\n+++ d\n@@ -1,1 +1,1 @@\n-one\n+third\n'],
  ])('that somebody wrote by hand changes nothing: %s', (_, patch) => {
    expect(restoreFile('one\n', patch)).toEqual({ text: 'one\n', lost: 1, images: new Map() });
  });

  it.each(['../a.png', '/a.png', 'a/../../b.png', ''])('names no image at %j', path => {
    const patch = `image https://i.example/1 ${encodeURIComponent(path)}\n--- page\n+++ file\n`;
    expect(restoreFile('one\n', patch).images).toEqual(new Map());
    expect(restoreFile('one\n', patch.replace(/1 .*/, '1 b%20c.png')).images).toEqual(
      new Map([['b c.png', 'https://i.example/1']]),
    );
  });

  it('puts each part back in its place, though others of its words stand elsewhere and a later part is lost', () => {
    const verse = ['one', 'two', 'three', 'four'];
    const song = Array.from({ length: 20 }, () => verse).flat();
    const page = ['start', ...song, 'end', 'of', 'it', ''];
    const inFile = (lines: readonly string[], end: readonly string[]) => {
      const file = ['start', ...verse, ...lines, ...end];
      file[4 + 10 * 4 + 2] = 'two %%remark%%';
      return file.join('\n');
    };
    const patch = makePatch(put(page.join('\n')), inFile(song, ['end %%a%%', 'of', 'it', '']), most)!;
    const changed = ['start', ...song, 'all', 'other', 'words', ''].join('\n');
    expect(restoreFile(changed, patch)).toMatchObject({ text: inFile(song, ['all', 'other', 'words', '']), lost: 1 });
  });
});
