import { expect, it } from 'vitest';
import { writeZip } from './write-zip.ts';
import { readDirectory } from './zip-directory.ts';

const bytes = new TextEncoder().encode('words '.repeat(100));

it('text is packed, and images are stored as they are', () => {
  const paths = ['a.md', 'b.png', 'c.JPG', 'd.jpeg', 'e.gif', 'f.webp', 'g.avif', 'h.svg', 'png.md'];
  const entries = readDirectory(
    writeZip(
      paths.map(path => ({ path, bytes })),
      new Date(),
    ),
  );
  expect(entries.map(({ path, method }) => [path, method])).toEqual(paths.map(path => [path, /md|svg/.test(path) ? 8 : 0]));
  for (const { method, packedBytes } of entries) expect(packedBytes === bytes.length).toBe(method === 0);
});

it.each([
  [new Date(0), 1980],
  [new Date(8.64e15), 2099],
])('a clock that says %s makes a zip all the same', (now, year) => {
  const archive = writeZip([{ path: 'a.md', bytes }], now);
  const list = new DataView(archive.buffer).getUint32(archive.length - 6, true);
  expect((new DataView(archive.buffer).getUint16(list + 14, true) >> 9) + 1980).toBe(year);
});

it('each file has the time of the export', () => {
  const archive = writeZip([{ path: 'a.md', bytes }], new Date(2026, 2, 1, 12, 34, 56));
  const list = new DataView(archive.buffer).getUint32(archive.length - 6, true);
  const [time, date] = [12, 14].map(at => new DataView(archive.buffer).getUint16(list + at, true));
  // APPNOTE 4.4.6: as MS-DOS counts, in steps of two seconds.
  expect([time, date]).toEqual([(12 << 11) | (34 << 5) | 28, (46 << 9) | (3 << 5) | 1]);
});
