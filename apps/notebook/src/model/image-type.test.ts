import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  findBox,
  findMarker,
  gifEnd,
  gifFrame,
  gifHeader,
  jpegSegment,
  patched,
  png,
  pngChunk,
  pngHeader,
  pngPixels,
  riffChunk,
  u32,
  webp,
  webpHeader,
} from '../../test/images/file-parts.ts';
import { hostileFiles } from '../../test/images/hostile-files.ts';
import { anAnimation, aPicture, aTellingPicture, imageFormats, secrets } from '../../test/images/pictures.ts';
import { checkImage, findImageType, type ReadImage } from './image-type.ts';

function read(file: Buffer): ReadImage {
  const found = checkImage(file);
  if ('fault' in found) throw new Error(found.fault);
  return found;
}
const clean = (file: Buffer) => Buffer.from(read(file).bytes);
const has = (file: Buffer, text: string) => file.includes(Buffer.from(text, 'latin1'));
const pixels = (file: Uint8Array) => sharp(file, { pages: -1 }).raw().toBuffer();
const secret = Buffer.from('SECRET-WORDS');

describe.each(imageFormats)('%s', format => {
  it('is told by its first bytes, and left as it is when it tells nothing', async () => {
    const file = await aPicture(format);
    expect(findImageType(file)).toBe(format);
    const found = read(file);
    expect(found).toMatchObject({ type: format, width: 48, height: 32, frames: 1 });
    expect(Buffer.from(found.bytes).equals(file)).toBe(true);
  });

  it('loses what it tells, and no pixel', async () => {
    const file = await aTellingPicture(format);
    if (format !== 'gif') expect((await sharp(file).metadata()).exif).toBeDefined();
    const found = read(file);
    for (const word of secrets) expect([word, has(Buffer.from(found.bytes), word)]).toEqual([word, false]);
    expect((await pixels(found.bytes)).equals(await pixels(file))).toBe(true);
    // Cleaning it again changes nothing.
    expect(clean(Buffer.from(found.bytes)).equals(Buffer.from(found.bytes))).toBe(true);
  });

  it('is shown the way its orientation says', async () => {
    const file = await aTellingPicture(format);
    const found = read(file);
    const before = await sharp(file).autoOrient().raw().toBuffer({ resolveWithObject: true });
    const after = await sharp(found.bytes).autoOrient().raw().toBuffer({ resolveWithObject: true });
    expect([after.info.width, after.info.height]).toEqual([found.width, found.height]);
    expect([after.info.width, after.info.height]).toEqual([before.info.width, before.info.height]);
    expect(after.data.equals(before.data)).toBe(true);
    // GIF has no orientation; in the four other formats the picture was stored rotated.
    expect(found.width < found.height).toBe(format !== 'gif');
  });
});

describe('what is left out', () => {
  it('of a PNG: every kind of text, times, places, and parts that nobody knows', async () => {
    const telling = ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'tIME', 'caBX', 'prVt'].map(type => pngChunk(type, secret));
    const [header, data, end] = [pngHeader(8, 8), pngPixels(8, 8), pngChunk('IEND')];
    const kept = [pngChunk('gAMA', u32(45_455)), pngChunk('pHYs', Buffer.concat([u32(1, 1), Buffer.from([0])]))];
    expect(clean(png(header, ...kept, ...telling, data, ...telling, end)).equals(png(header, ...kept, data, end))).toBe(true);
  });

  it('of a PNG: a profile that is a bomb', async () => {
    const { deflateSync } = await import('node:zlib');
    const profile = pngChunk('iCCP', Buffer.concat([Buffer.from('p\0\0'), deflateSync(Buffer.alloc(50_000_000))]));
    const [header, data, end] = [pngHeader(8, 8), pngPixels(8, 8), pngChunk('IEND')];
    expect(clean(png(header, profile, data, end)).equals(png(header, data, end))).toBe(true);
  });

  it('of a JPEG: thumbnails, comments, IPTC, other makers’ parts, and pictures that follow', async () => {
    const file = await aPicture('jpeg');
    const jfif = Buffer.concat([Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01', 'latin1'), Buffer.from('THU')]);
    const telling = [
      jpegSegment(0xe0, jfif),
      jpegSegment(0xe0, Buffer.concat([Buffer.from('JFXX\0\x10'), secret])),
      jpegSegment(0xe1, Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0'), secret])),
      jpegSegment(0xe2, Buffer.concat([Buffer.from('MPF\0'), secret])),
      jpegSegment(0xed, Buffer.concat([Buffer.from('Photoshop 3.0\0'), secret])),
      jpegSegment(0xfe, secret),
      jpegSegment(0xef, secret),
    ];
    const told = Buffer.concat([file.subarray(0, 2), ...telling, file.subarray(2), file]);
    const found = clean(told);
    expect([has(found, 'SECRET'), has(found, 'THU')]).toEqual([false, false]);
    expect((await pixels(found)).equals(await pixels(file))).toBe(true);
    expect(found.subarray(findMarker(found, 0xdb)).equals(file.subarray(findMarker(file, 0xdb)))).toBe(true);
  });

  it('of a JPEG: not the profile, nor what says how its colors are packed', async () => {
    const cmyk = await sharp(await aPicture('png'))
      .toColourspace('cmyk')
      .withIccProfile('cmyk')
      .jpeg()
      .toBuffer();
    const found = clean(cmyk);
    expect([has(found, 'ICC_PROFILE'), has(found, 'Adobe')]).toEqual([true, true]);
    expect((await pixels(found)).equals(await pixels(cmyk))).toBe(true);
  });

  it('of a GIF: comments, texts and other programs’ parts, but not how often it runs', () => {
    const extension = (label: number, name: string) =>
      Buffer.concat([Buffer.from([0x21, label, name.length]), Buffer.from(name), Buffer.from([12]), secret, Buffer.from([0])]);
    const loop = Buffer.concat([Buffer.from([0x21, 0xff, 11]), Buffer.from('NETSCAPE2.0'), Buffer.from([3, 1, 0, 0, 0])]);
    const [header, frame] = [gifHeader(8, 8), gifFrame(8, 8)];
    const told = Buffer.concat([
      ...[header, extension(0xff, 'XMP DataXMP'), loop, extension(0xfe, 'a comment'), frame],
      ...[extension(0x01, 'twelve bytes'), frame, extension(0x77, 'new'), gifEnd],
    ]);
    expect(clean(told).equals(Buffer.concat([header, loop, frame, frame, gifEnd]))).toBe(true);
  });

  it('of a WebP: parts that nobody knows, in frames too', async () => {
    const picture = (await aPicture('webp')).subarray(12);
    const told = webp(
      webpHeader(0x0c, 48, 32),
      riffChunk('XYZ ', secret),
      picture,
      riffChunk('XMP ', secret),
      riffChunk('EXIF', secret),
    );
    expect(clean(told).equals(webp(webpHeader(0, 48, 32), picture))).toBe(true);
  });

  it('of an AVIF: whatever is no picture, and boxes that nobody knows', async () => {
    const file = await aPicture('avif');
    const hidden = Buffer.concat([u32(8 + secret.length), Buffer.from('uuid'), secret]);
    const found = clean(Buffer.concat([file, hidden]));
    expect(found.subarray(0, file.length).equals(file)).toBe(true);
    expect(
      found
        .subarray(file.length)
        .equals(Buffer.concat([u32(8 + secret.length), Buffer.from('free'), Buffer.alloc(secret.length)])),
    ).toBe(true);
  });
});

describe('animations', () => {
  it.each(['gif', 'webp'] as const)('stay byte for byte what they are: %s', async format => {
    const file = await anAnimation(format);
    const found = read(file);
    expect(found.frames).toBe(3);
    expect(Buffer.from(found.bytes).equals(file)).toBe(true);
  });
});

describe('findImageType', () => {
  it('does not look at a name, nor past the first bytes', async () => {
    expect(findImageType(Buffer.from('photo.png'))).toBeUndefined();
    const avif = await aPicture('avif');
    expect(findImageType(patched(avif, 8, Buffer.from('mif1')))).toBe('avif');
    expect(
      findImageType(
        patched(avif, findBox(avif, 'ftyp'), Buffer.from('heicheicheicheicheicheic').subarray(0, avif.readUInt32BE(0) - 8)),
      ),
    ).toBeUndefined();
  });
});

/** Faults that show only when the pixels are decoded. */
const leftToDecoder = new Set([
  ...[
    'PNG: fewer pixels than it says',
    'PNG: pixels that are not packed',
    'JPEG: cut off, with an end',
    'JPEG: larger than its pixels',
  ],
  ...['JPEG: without its tables', 'AVIF: another size than its pixels', 'AVIF: pixels without pixels'],
]);

const hostile = await hostileFiles();

describe('hostile files are refused by their bytes', () => {
  it.each(hostile)('%s', (name, detail, file) => {
    if (leftToDecoder.has(name)) expect(read(file).bytes.length).toBeGreaterThan(0);
    else expect(checkImage(file)).toEqual({ fault: detail });
  });
});
