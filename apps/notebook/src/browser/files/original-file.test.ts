import { afterEach, describe, expect, it, vi } from 'vitest';
import { makePatch, putAddresses, restoreFile } from './original-file.ts';

const put = (text: string) => putAddresses('a.md', text, new Map());
const most = 100_000;
afterEach(() => void vi.restoreAllMocks());

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
  ])('written by hand changes nothing: %s', (_, patch) => {
    expect(restoreFile('one\n', patch)).toEqual({ text: 'one\n', lost: 1, images: new Map() });
  });

  it.each(['../a.png', '/a.png', 'a/../../b.png', ''])('names no image at %j', path => {
    const patch = `image https://i.example/1 ${encodeURIComponent(path)}\n--- page\n+++ file\n`;
    expect(restoreFile('one\n', patch).images).toEqual(new Map());
    expect(restoreFile('one\n', patch.replace(/1 .*/, '1 b%20c.png')).images).toEqual(
      new Map([['b c.png', 'https://i.example/1']]),
    );
  });

  it('names no image in lines that only look like it', () => {
    const lines = [
      'image https://i.example/1',
      'image  a.png',
      'picture https://i.example/1 a.png',
      'image https://i.example/1 50%.png',
    ];
    expect(restoreFile('one\n', `${lines.join('\n')}\n--- page\n+++ file\n`).images).toEqual(
      new Map([['50%.png', 'https://i.example/1']]),
    );
  });

  it('names the images that the page shows, by the paths of their files', () => {
    const file = 'a ![](<my pictures/b c.png>) b %%c%%\n\n![](gone.png)\n';
    const addresses = new Map([
      ['notes/my pictures/b c.png', 'https://i.example/1'],
      ['notes/other.png', 'https://i.example/2'],
    ]);
    const page = putAddresses('notes/a.md', file.replace(' %%c%%', ''), addresses);
    expect(page.text).toContain('https://i.example/1');
    const patch = makePatch(page, file, most)!;
    const images = new Map([['notes/my pictures/b c.png', 'https://i.example/1']]);
    expect(restoreFile(page.text, patch)).toEqual({ text: file, lost: 0, images });
  });

  it('is none when the texts differ so much that it would take too long to find', () => {
    let now = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => (now += 1_000));
    expect(makePatch(put('one\n'.repeat(9)), 'other\n'.repeat(9), most)).toBeUndefined();
  });
});

describe('the file of a page', () => {
  const verse = ['one', 'two', 'three', 'four'];
  const song = Array.from({ length: 20 }, () => verse).flat();
  const remark = 'two %%remark%%';

  it('is the page if they were the same, with every change of it', () => {
    expect(restoreFile('changed\n', '')).toEqual({ text: 'changed\n', lost: 0, images: new Map() });
  });

  it('has its parts back beside changed lines of the page', () => {
    const page = [...'abcdefg', ''].join('\n');
    const withRemark = (text: string) => text.replace('d', 'd %%a%%');
    const patch = makePatch(put(page), withRemark(page), most)!;
    // Two lines on each side say where a part belongs. One of them may be changed, if it does not touch the part.
    for (const changed of [page.replace('a', 'x').replace('g', 'y'), page.replace('b', 'z'), page.replace('f', 'z')])
      expect(restoreFile(changed, patch)).toEqual({ text: withRemark(changed), lost: 0, images: new Map() });
    for (const changed of [page.replace('c', 'z'), page.replace('d', 'z'), page.replace('b', 'y').replace('f', 'z')])
      expect(restoreFile(changed, patch)).toEqual({ text: changed, lost: 1, images: new Map() });
  });

  it('has the line ends that it had, whatever those of the page', () => {
    const patch = makePatch(put(''), '%%a%%\r\n', most)!;
    expect(restoreFile('other\nwords\n', patch).text).toBe('%%a%%\r\nother\nwords\n');
  });

  it('has its parts where the lines around them are now, though the same words stand elsewhere', () => {
    const page = ['start', 'of', 'it', ...song, 'end', ''];
    const file = ['start %%a%%', ...page.slice(1)];
    file[3 + 10 * 4 + 1] = remark;
    const patch = makePatch(put(page.join('\n')), file.join('\n'), most)!;
    const before = [...verse, ...verse].map(line => `${line} of all`);
    expect(restoreFile([...before, ...page].join('\n'), patch)).toEqual({
      text: [...before, ...file].join('\n'),
      lost: 0,
      images: new Map(),
    });
  });

  it('has each part in its place, though a later one is lost and the same words stand elsewhere', () => {
    const page = ['start', 'of', 'it', ...song, 'end', 'of', 'it', ''];
    const top = ['%%a%%', '%%b%%', '%%c%%', '%%d%%', '%%e%%'];
    const inFile = (end: readonly string[]) => {
      const file = [...top, 'start', 'of', 'it', ...song, ...end];
      file[top.length + 3 + 10 * 4 + 1] = remark;
      return file.join('\n');
    };
    const patch = makePatch(put(page.join('\n')), inFile(['end %%f%%', 'of', 'it', '']), most)!;
    const changed = ['start', 'of', 'it', ...song, 'all', 'other', 'words', ''].join('\n');
    expect(restoreFile(changed, patch)).toMatchObject({ text: inFile(['all', 'other', 'words', '']), lost: 1 });
  });
});
