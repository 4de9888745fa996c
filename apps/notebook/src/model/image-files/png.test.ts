import { describe, expect, it } from 'vitest';
import { png, pngChunk, pngHeader, pngPixels, u32 } from '../../../test/images/file-parts.ts';
import { exif, readFile } from '../../../test/images/read-file.ts';

// The limits of what the format allows; the hostile files go one step beyond.

describe('PNG', () => {
  const [header, pixels, end] = [pngHeader(8, 8), pngPixels(8, 8), pngChunk('IEND')];
  const headerWith = (at: number, value: number) => {
    const data = Buffer.from(header.subarray(8, 21));
    data[at] = value;
    return pngChunk('IHDR', data);
  };
  const palette = pngChunk('PLTE', Buffer.alloc(6));

  it.each([
    ...[1, 2, 4, 8, 16].map(depth => [0, depth]),
    ...[8, 16].map(depth => [2, depth]),
    ...[1, 2, 4, 8].map(depth => [3, depth]),
    ...[8, 16].map(depth => [4, depth]),
    ...[8, 16].map(depth => [6, depth]),
  ] as [number, number][])('color type %d has %d bits', (color, depth) => {
    expect(readFile(png(pngHeader(8, 8, depth, color), palette, pixels, end))).toMatchObject({ width: 8, height: 8, frames: 1 });
  });

  it.each([
    ['another way of packing', 10],
    ['another filter', 11],
  ])('of %s is refused', (_, at) =>
    expect(() => readFile(png(headerWith(at, 1), pixels, end))).toThrow('is packed in an unknown way'),
  );

  it('may be interlaced in one way', () => {
    expect(readFile(png(headerWith(12, 1), pixels, end)).type).toBe('png');
    expect(() => readFile(png(headerWith(12, 2), pixels, end))).toThrow('is packed in an unknown way');
  });

  it('has a header of 13 bytes', () => {
    expect(() => readFile(png(pngChunk('IHDR', Buffer.alloc(14)), pixels, end))).toThrow('has a damaged header');
  });

  it('has its pixels in as many parts as it likes, and one palette', () => {
    expect(readFile(png(header, pixels, pixels, end)).bytes.equals(png(header, pixels, pixels, end))).toBe(true);
    expect(() => readFile(png(pngHeader(8, 8, 8, 3), palette, palette, pixels, end))).toThrow('has no palette');
  });

  it('keeps its first orientation where it stood', () => {
    const told = png(header, pngChunk('eXIf', exif(6)), pngChunk('eXIf', exif(3)), pixels, end);
    expect(readFile(told)).toMatchObject({ width: 8, height: 8, storedWidth: 8 });
    expect(readFile(told).bytes.equals(png(header, pngChunk('eXIf', exif(6)), pixels, end))).toBe(true);
    expect(readFile(png(pngHeader(8, 4), pngChunk('eXIf', exif(6)), pixels, end))).toMatchObject({
      width: 4,
      height: 8,
      storedWidth: 8,
      storedHeight: 4,
    });
  });

  it('keeps a profile with a name of 1 to 79 letters that can be unpacked', async () => {
    const { deflateSync } = await import('node:zlib');
    const profile = (name: string, data = deflateSync(Buffer.from('profile'))) =>
      pngChunk('iCCP', Buffer.concat([Buffer.from(`${name}\0\0`), data]));
    const kept = (chunk: Buffer) => readFile(png(header, chunk, pixels, end)).bytes.includes('iCCP');
    const nothing = deflateSync(Buffer.alloc(0));
    expect([kept(profile('p')), kept(profile('p'.repeat(79)))]).toEqual([true, true]);
    expect([kept(profile('')), kept(profile('p'.repeat(80))), kept(profile('p', nothing))]).toEqual([false, false, false]);
    expect([kept(profile('p', Buffer.from('not packed'))), kept(pngChunk('iCCP', Buffer.from('p')))]).toEqual([false, false]);
    expect([
      kept(profile('p', deflateSync(Buffer.alloc(4_194_304)))),
      kept(profile('p', deflateSync(Buffer.alloc(4_194_305)))),
    ]).toEqual([true, false]);
  });

  describe('that moves', () => {
    const control = (sequence: number, [width, height, left, top] = [8, 8, 0, 0]) =>
      pngChunk('fcTL', Buffer.concat([u32(sequence, width!, height!, left!, top!), Buffer.alloc(6)]));
    const data = (sequence: number) => pngChunk('fdAT', Buffer.concat([u32(sequence), Buffer.alloc(4)]));
    const film = (frames: number, ...chunks: Buffer[]) => png(header, pngChunk('acTL', u32(frames, 0)), ...chunks, end);

    it('counts its frames and its parts in one sequence', () => {
      const whole = film(2, control(0), pixels, control(1), data(2), data(3));
      expect(readFile(whole)).toMatchObject({ frames: 2 });
      expect(readFile(whole).bytes.equals(whole)).toBe(true);
      expect(readFile(film(1, control(0, [4, 3, 4, 5]), pixels)).frames).toBe(1);
    });

    it.each([
      ['without saying so', png(header, control(0), pixels, end), 'has its frames in disorder'],
      ['with a part left out', film(2, control(0), pixels, control(1), data(3)), 'has its frames in disorder'],
      ['with a frame too many', film(1, control(0), pixels, control(1), data(2)), 'has not the frames that it promises'],
      ['with a frame too low', film(1, control(0, [4, 4, 0, 5]), pixels), 'has a frame that does not fit'],
      ['with a frame without width', film(1, control(0, [0, 8, 0, 0]), pixels), 'has a frame that does not fit'],
      ['with a frame without height', film(1, control(0, [8, 0, 0, 0]), pixels), 'has a frame that does not fit'],
    ])('%s is refused', (_, file, fault) => expect(() => readFile(file)).toThrow(fault));
  });
});
