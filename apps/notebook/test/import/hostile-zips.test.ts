import { describe, expect, it } from 'vitest';
import { planImport, readImport } from '../../src/browser/files/read-import.ts';
import { Allowance } from '../../src/browser/files/zip/read-zip.ts';
import type { ZipEntry } from '../../src/browser/files/zip/zip-directory.ts';
import { limits } from '../../src/limits.ts';
import { text, withEntry, zip } from './made-zips.ts';

const read = (bytes: Uint8Array, path = 'notes.zip') => readImport([{ path, bytes }]);
const good = { 'a.md': '# A', 'b.md': '# B\n\nlonger than A' };
const zeros = (bytes: number) => new Uint8Array(bytes);
const mebibyte = zeros(1_048_576);

/** Changes the end of the list, byte by byte as APPNOTE 4.3.16 counts them. */
function withEnd(archive: Uint8Array, change: (view: DataView) => void): Uint8Array {
  const copy = archive.slice();
  change(new DataView(copy.buffer, copy.length - 22));
  return copy;
}

describe('an archive that is refused as a whole, by name and reason', () => {
  it.each([
    ['not a zip', text('just words'), 'is not a zip archive, or was cut off'],
    ['empty', new Uint8Array(), 'is not a zip archive, or was cut off'],
    ['too large', new Uint8Array(limits.maxImportZipBytes + 1), 'is larger than 100 MiB'],
    ['cut off', zip(good).slice(0, 90), 'is not a zip archive, or was cut off'],
    ['of another length than its list', withEntry(zip(good), 1, view => view.setUint32(24, 3, true)), 'b.md is not as long as'],
    ['shorter than its list', withEntry(zip(good), 1, view => view.setUint32(24, 999, true)), 'b.md is not as long as'],
    ['with a wrong check sum', withEntry(zip(good), 0, view => view.setUint32(16, 1, true)), 'the check sum of a.md is wrong'],
    ['with packed bytes that are none', withEntry(zip(good, 0), 0, view => view.setUint16(10, 8, true)), 'a.md'],
    ['that points past its end', withEntry(zip(good), 0, view => view.setUint32(20, 0x7fffffff, true)), 'was cut off'],
    ['that points nowhere', withEntry(zip(good), 0, view => view.setUint32(42, 0x7fffffff, true)), 'is not where its list says'],
    ['that points into a file', withEntry(zip(good), 0, view => view.setUint32(42, 1, true)), 'is not where its list says'],
    ['whose list has another sign', withEntry(zip(good), 0, view => view.setUint8(0, 0)), 'its list of files cannot be read'],
    ['whose list is elsewhere', withEnd(zip(good), view => view.setUint32(16, 0, true)), 'its list of files cannot be read'],
    ['whose list is past its end', withEnd(zip(good), view => view.setUint32(16, 0x7fffffff, true)), 'its list of files cannot'],
    [
      'for very large archives, by its place',
      withEnd(zip(good), view => view.setUint32(16, 0xffffffff, true)),
      'is a zip of the kind for very large archives',
    ],
    [
      'for very large archives, by its number of files',
      withEnd(zip(good), view => [8, 10].map(at => view.setUint16(at, 0xffff, true))),
      'is a zip of the kind for very large archives',
    ],
    [
      'with a list in ruins',
      withEntry(zip(good), 0, view => view.setUint16(28, 60_000, true)),
      'its list of files cannot be read',
    ],
    ['whose files share their bytes', withEntry(zip(good), 1, view => view.setUint32(42, 0, true)), 'two of its files share'],
    [
      'that is one part of several',
      withEnd(zip(good), view => view.setUint16(4, 1, true)),
      'is one part of a zip that was split',
    ],
    [
      'whose list is in other parts',
      withEnd(zip(good), view => view.setUint16(8, 1, true)),
      'is one part of a zip that was split',
    ],
    ['that is a bomb', zip({ 'a.md': '# A', 'big.png': zeros(30_000_000) }), 'looks like a zip bomb: big.png would grow'],
    [
      'of many middling bombs',
      zip(Object.fromEntries(Array.from({ length: 201 }, (_, number) => [`${number}.md`, mebibyte]))),
      'would unpack to 201 MiB',
    ],
    [
      'of too many files',
      zip(Object.fromEntries(Array.from({ length: limits.maxImportZipEntries + 1 }, (_, number) => [`${number}.md`, '']))),
      'holds 2001 files',
    ],
  ])('%s', (_fault, bytes, why) => {
    const plan = read(bytes);
    expect(plan.pages).toEqual([]);
    expect(plan.leftOut).toHaveLength(1);
    expect(plan.leftOut[0]).toMatch(/^notes\.zip /);
    expect(plan.leftOut[0]).toContain(why);
  });

  it('one that hides its growth from its list is stopped at the size it admits', () => {
    const bomb = withEntry(zip({ 'a.md': zeros(300_000_000) }), 0, view => view.setUint32(24, 1_000, true));
    const before = process.memoryUsage().arrayBuffers;
    expect(read(bomb).leftOut[0]).toContain('a.md is not as long as its list says');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(150_000_000);
  });

  it('one of as many files, and as many bytes, as are taken is not refused, and one more is', () => {
    const entries = (count: number, bytes: number) => Array<ZipEntry>(count).fill({ bytes } as ZipEntry);
    const { maxImportZipEntries: most, maxImportUnpackedBytes: mostBytes } = limits;
    const allowance = new Allowance();
    allowance.take(entries(most - 1, 0));
    allowance.take(entries(1, mostBytes));
    expect(() => allowance.take(entries(1, 0))).toThrow(`holds ${most + 1} files`);
    expect(() => new Allowance().take(entries(1, mostBytes + 1))).toThrow('would unpack to 200 MiB; at most 200 MiB are taken');
  });

  it.each([
    ['the longest', 'x'.repeat(65_535)],
    ['one that looks like the end of a list', `PK\u0005\u0006${'x'.repeat(30)}`],
  ])('one with a comment is not refused: %s', (_, comment) => {
    const commented = withEnd(zip(good), view => view.setUint16(20, comment.length, true));
    const { pages, leftOut } = read(Uint8Array.from([...commented, ...text(comment)]));
    expect([pages.map(({ path }) => path), leftOut]).toEqual([['a.md', 'b.md'], []]);
  });

  it('a page of exactly 1 MiB is taken', () => {
    expect(read(zip({ 'a.md': 'x'.repeat(limits.maxMarkdownBytes) }))).toMatchObject({ pages: [{ path: 'a.md' }], leftOut: [] });
  });

  it('a file that says that it is too long is not even unpacked', () => {
    const longest = limits.maxMarkdownBytes + 3;
    const unpacked: number[] = [];
    const file = (size: number) => {
      const read = () => {
        unpacked.push(size);
        return text('# A');
      };
      return { path: `${size}.md`, size, read };
    };
    const plan = planImport([file(longest), file(longest + 1)]);
    expect([unpacked, plan.leftOut]).toEqual([[longest], [`${longest + 1}.md is longer than 1 MiB.`]]);
  });

  it('an image that says that it is too large is left out by name, and the others are taken', () => {
    const read = () => text('x');
    const image = (path: string, size: number) => ({ path, size, read });
    const page = { path: 'a.md', bytes: text('![](a.png) ![](b.png)') };
    const { maxImportImageBytes: most } = limits;
    const plan = planImport([page, image('a.png', most), image('b.png', most + 1)]);
    expect([plan.images, plan.leftOut]).toEqual([[{ path: 'a.png', read }], ['b.png is larger than 20 MiB.']]);
  });

  it('an image that is damaged is left out by name, and the pages are taken', () => {
    const damaged = withEntry(zip({ 'a.md': '![](p.png)', 'p.png': 'p' }), 1, view => view.setUint32(16, 1, true));
    const plan = read(damaged);
    expect([plan.pages.length, plan.images, plan.leftOut]).toEqual([1, [], ['p.png is damaged.']]);
  });

  it('a name in another encoding keeps its ending, and one that begins here is the same without that', () => {
    const named = withEntry(zip({ 'a_.md': '![](./p.png)', './img/p.png': 'p' }), 0, view => view.setUint8(47, 0xe4));
    const plan = read(named);
    expect([plan.pages, plan.images].map(files => files.map(({ path }) => path))).toEqual([['a\u00e4.md'], ['img/p.png']]);
  });

  it('does not take the other files with it', () => {
    const plan = readImport([
      { path: 'bad.zip', bytes: text('PK no') },
      { path: 'good.md', bytes: text('# Good') },
    ]);
    expect(plan.pages.map(({ path }) => path)).toEqual(['good.md']);
    expect(plan.leftOut).toHaveLength(1);
  });

  it('is known by its bytes, whatever it is called', () => {
    expect(read(zip(good), 'notes.md').pages).toHaveLength(2);
  });
});

describe('zips in the zip, as Notion exports', () => {
  const stored = (files: Record<string, string | Uint8Array>) => zip(files, 0);
  const inner = zip({ 'Plan/Sub.md': '# Sub\n\n![](p.png)', 'Plan/p.png': 'p' });

  it('are opened: their files stand where the part lay', () => {
    const parts = { 'Export-1-Part-1.zip': inner, 'Export-1-Part-2.zip': zip({ 'Plan.md': '# Plan' }), 'more/3.zip': zip(good) };
    const plan = read(stored(parts));
    expect(plan.pages.map(({ path }) => path)).toEqual(['Plan.md', 'more/a.md', 'more/b.md', 'Plan/Sub.md']);
    expect(plan.images.map(({ path }) => path)).toEqual(['Plan/p.png']);
    expect(plan.leftOut).toEqual([]);
  });

  it('are opened once: a zip in a part is left out by name, and so is one beside pages', () => {
    const plan = read(stored({ 'Part-1.zip': zip({ 'a.md': '# A', 'deep.zip': zip(good) }) }));
    expect(plan.pages.map(({ path }) => path)).toEqual(['a.md']);
    expect(plan.leftOut).toEqual(['deep.zip is a zip in the zip, which is not opened.']);
    expect(read(stored({ 'a.md': '# A', 'x.zip': zip(good) })).leftOut).toEqual([
      'x.zip is a zip in the zip, which is not opened.',
    ]);
  });

  it('leave out by name what leads out of them', () => {
    const plan = read(stored({ 'in/1.zip': zip({ '../../x.md': '# x', '/etc/y.md': '# y', 'good.md': '# Good' }) }));
    expect(plan.pages.map(({ path }) => path)).toEqual(['in/good.md']);
    expect(plan.leftOut).toEqual([
      '../../x.md has a path that leads out of the archive.',
      '/etc/y.md has a path that leads out of the archive.',
    ]);
  });

  it.each<[how: string, archive: Uint8Array, why: string]>([
    ['whose own path leads out', stored({ '../1.zip': inner }), '../1.zip has a path that leads out of the archive.'],
    [
      'that is a link',
      withEntry(stored({ '1.zip': inner }), 0, view => [view.setUint8(5, 3), view.setUint32(38, 0xa1ff0000, true)]),
      '1.zip is a link to another file.',
    ],
    ['that is encrypted', withEntry(stored({ '1.zip': inner }), 0, view => view.setUint16(8, 1, true)), '1.zip is encrypted.'],
    [
      'that is packed otherwise',
      withEntry(stored({ '1.zip': inner }), 0, view => view.setUint16(10, 93, true)),
      '1.zip is packed in a way that cannot be read here.',
    ],
  ])('leave a part out by name %s', (_how, archive, why) => {
    expect(read(archive)).toMatchObject({ pages: [], images: [], leftOut: [why] });
  });

  const many = (from: number) =>
    zip(Object.fromEntries(Array.from({ length: 1_000 }, (_, number) => [`${from + number}.md`, ''])));
  it.each([
    [
      'a bomb',
      stored({ '1.zip': inner, '2.zip': zip({ 'big.png': zeros(30_000_000) }) }),
      'holds 2.zip, which looks like a zip bomb',
    ],
    [
      'middling bombs in many parts',
      stored(
        Object.fromEntries(
          Array.from({ length: 5 }, (_, part) => [
            `${part}.zip`,
            zip(Object.fromEntries(Array.from({ length: 45 }, (_, number) => [`${part}-${number}.md`, mebibyte]))),
          ]),
        ),
      ),
      'holds 4.zip, which would unpack to 225 MiB',
    ],
    ['too many files in all', stored({ '1.zip': many(0), '2.zip': many(1_000) }), 'holds 2.zip, which holds 2002 files'],
    ['no zip', stored({ '1.zip': inner, '2.zip': 'PK no' }), 'holds 2.zip, which is not a zip archive'],
    [
      'a part that is cut off',
      stored({ '1.zip': inner.slice(0, 60) }),
      'holds 1.zip, which is not a zip archive, or was cut off',
    ],
    [
      'a part that lies about its growth',
      stored({ '1.zip': withEntry(zip({ 'a.md': zeros(50_000_000) }), 0, view => view.setUint32(24, 1_000, true)) }),
      'holds 1.zip, which is made to deceive or damaged: a.md is not as long',
    ],
  ])('with %s are refused as a whole, by name and reason', (_fault, bytes, why) => {
    const plan = read(bytes);
    expect([plan.pages, plan.images]).toEqual([[], []]);
    expect(plan.leftOut).toHaveLength(1);
    expect(plan.leftOut[0]).toContain(`notes.zip ${why}`);
  });
});

describe('a file in an archive that is left out, by name and reason', () => {
  it.each([
    ['above the archive', { '../../etc/passwd.md': '# x' }, 'has a path that leads out of the archive'],
    ['above, half way', { 'a/../../x.md': '# x' }, 'has a path that leads out of the archive'],
    ['absolute', { '/etc/x.md': '# x' }, 'has a path that leads out of the archive'],
    ['on a drive', { 'C:\\x.md': '# x' }, 'has a path that leads out of the archive'],
    ['above, in the manner of Windows', { '..\\x.md': '# x' }, 'has a path that leads out of the archive'],
    ['with a line break in its name', { 'a\nb.md': '# x' }, 'has a path that leads out of the archive'],
    ['of a very long path', { [`${'x/'.repeat(499)}a.md`]: '# x' }, 'has a path that leads out of the archive'],
    ['a zip', { 'more.zip': zip(good) }, 'more.zip is a zip in the zip'],
    ['a program', { 'run.exe': 'MZ' }, 'run.exe is neither Markdown nor an image'],
    ['an image nobody shows', { 'x.png': 'png' }, 'x.png is shown by no page'],
    ['too long', { 'x.md': 'x'.repeat(limits.maxMarkdownBytes + 1) }, 'x.md is longer than 1 MiB'],
    ['not UTF-8', { 'x.md': Uint8Array.of(0x23, 0x20, 0xe4, 0x20) }, 'x.md is not UTF-8 text'],
    ['UTF-16', { 'x.md': Uint8Array.of(0xff, 0xfe, 0x23, 0) }, 'x.md is not UTF-8 text'],
    ['with a NUL', { 'x.md': 'a\0b' }, 'x.md is not text'],
  ])('%s', (_fault, bad: Record<string, string | Uint8Array>, why) => {
    const plan = read(zip({ ...bad, 'good.md': '# Good' }));
    expect(plan.pages.map(({ path }) => path)).toEqual(['good.md']);
    expect(plan.leftOut).toHaveLength(1);
    expect(plan.leftOut[0]).toContain(why);
  });

  it.each([
    ['encrypted', (view: DataView) => view.setUint16(8, 1, true), 'a.md is encrypted'],
    ['packed otherwise', (view: DataView) => view.setUint16(10, 93, true), 'a.md is packed in a way'],
    ['a symbolic link', (view: DataView) => [view.setUint8(5, 3), view.setUint32(38, 0xa1ff0000, true)], 'a.md is a link'],
  ])('%s', (_fault, change, why) => {
    const plan = read(withEntry(zip(good), 0, view => void change(view)));
    expect(plan.pages.map(({ path }) => path)).toEqual(['b.md']);
    expect(plan.leftOut[0]).toContain(why);
  });

  it('and its name is shown without what would not be seen', () => {
    const name = `a\u202Egnp${'x'.repeat(300)}.exe`;
    const [sentence] = read(zip({ [name]: 'x', 'good.md': '' })).leftOut;
    expect(sentence!.length).toBeLessThan(200);
    expect(sentence).toMatch(/^a\uFFFDgnpx+… is neither Markdown nor an image\.$/);
    expect(sentence).not.toContain('\u202E');
  });

  it('litter of operating systems is passed over in silence', () => {
    const litter = {
      '__MACOSX/._a.md': 'x',
      '.DS_Store': 'x',
      'notes/.obsidian/app.json': '{}',
      'Thumbs.db': 'x',
      'Desktop.ini': '',
      'notes/': '',
    };
    const plan = read(zip({ ...litter, 'a.md': '# A' }));
    expect(plan).toMatchObject({ leftOut: [], pages: [{ path: 'a.md' }] });
  });
});
