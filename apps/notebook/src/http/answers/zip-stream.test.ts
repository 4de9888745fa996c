import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ZipArchive } from '../../browser/files/zip/read-zip.ts';
import { type ZipFile, zipStream } from './zip-stream.ts';

const noon = Date.UTC(2026, 2, 1, 12, 34, 57);

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}
const pieces = (...texts: string[]) => each(texts.map(text => Buffer.from(text)));
const write = async (files: readonly ZipFile[], at = noon) => buffer(Readable.from(zipStream(each(files), at)));

const text = 'Words that are packed well. '.repeat(500);
const three = (): ZipFile[] => [
  { path: 'mimetype', content: { stored: Buffer.from('application/epub+zip') } },
  { path: 'pages/one.xhtml', content: pieces(text, 'and', ' more') },
  { path: 'images/a.png', content: pieces(text), packed: true },
];

describe('an archive', () => {
  it('is read back as it was written, file by file', async () => {
    const archive = new ZipArchive(await write(three()));
    expect(archive.entries.map(({ path }) => path)).toEqual(['mimetype', 'pages/one.xhtml', 'images/a.png']);
    expect(archive.entries.map(entry => Buffer.from(archive.unpack(entry)).toString())).toEqual([
      ...['application/epub+zip', `${text}and more`, text],
    ]);
    expect(new ZipArchive(await write([])).entries).toEqual([]);
  });

  it('is APPNOTE 6.3 to the byte', async () => {
    const bytes = await write([{ path: 'ab', content: { stored: Buffer.from('123456789') } }]);
    // 12:34:56 on 2026-03-01, the CRC-32 of the nine digits.
    const [time, crc] = ['5c64615c', '2639f4cb'];
    const [ab, digits, none] = ['6162', '313233343536373839', '0000'];
    const sizes = '0900000009000000';
    const own = ['504b0304', '1400', none, none, time, crc, sizes, '0200', none, ab, digits];
    const listed = ['504b0102', '1400', '1400', none, none, time, crc, sizes, '0200', none.repeat(8), ab];
    const end = ['504b0506', none, none, '0100', '0100', '30000000', '29000000', none];
    expect(bytes.toString('hex')).toBe([...own, ...listed, ...end].join(''));
  });

  it('says the sizes of a packed file behind its bytes, and in the list', async () => {
    const bytes = await write([{ path: 'one', content: pieces(text) }]);
    expect([bytes.readUInt16LE(6), bytes.readUInt16LE(8)]).toEqual([8, 8]);
    expect([14, 18, 22].map(at => bytes.readUInt32LE(at))).toEqual([0, 0, 0]);
    const list = bytes.readUInt32LE(bytes.length - 6);
    const [crc, packed, length] = [16, 20, 24].map(at => bytes.readUInt32LE(list + at)) as [number, number, number];
    expect(inflateRawSync(bytes.subarray(33, 33 + packed)).toString()).toBe(text);
    expect(length).toBe(text.length);
    expect(packed).toBeLessThan(length / 20);
    const behind = 33 + packed;
    expect([0, 4, 8, 12].map(at => bytes.readUInt32LE(behind + at))).toEqual([0x08074b50, crc, packed, length]);
    expect(behind + 16).toBe(list);
    expect([bytes.readUInt16LE(list + 8), bytes.readUInt16LE(list + 10)]).toEqual([8, 8]);
  });

  it('does not pack again what is packed', async () => {
    const bytes = await write([{ path: 'one', content: pieces(text), packed: true }]);
    expect(bytes.includes(text)).toBe(true);
  });

  it('has no time before 1980', async () => {
    const timeOf = async (at: number) => (await write(three(), at)).readUInt32LE(10);
    expect([await timeOf(0), await timeOf(Date.UTC(1980, 0, 1))]).toEqual([0x210000, 0x210000]);
    expect(await timeOf(Date.UTC(2107, 11, 31, 23, 59, 59))).toBe(0xff9fbf7d);
  });
});

describe('a source', () => {
  it('is asked for the next file when the one before it was written', async () => {
    const asked: string[] = [];
    async function* files(): AsyncGenerator<ZipFile> {
      for (const path of ['one', 'two']) {
        asked.push(path);
        yield { path, content: { stored: Buffer.from(path) } };
      }
    }
    const archive = zipStream(files(), noon);
    await archive.next();
    await archive.next();
    expect(asked).toEqual(['one']);
    await buffer(Readable.from(archive));
    expect(asked).toEqual(['one', 'two']);
  });

  it('that fails ends the archive with its error', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.from('some');
      throw new Error('no database');
    }
    await expect(write([{ path: 'one', content: broken() }])).rejects.toThrow('no database');
  });

  it('is ended when its reader leaves', async () => {
    const ended = Promise.withResolvers<void>();
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        for (;;) yield Buffer.alloc(65_536);
      } finally {
        ended.resolve();
      }
    }
    const archive = zipStream(each<ZipFile>([{ path: 'one', content: endless() }]), noon);
    await archive.next();
    await archive.next();
    await archive.return(undefined);
    await ended.promise;
  });
});
