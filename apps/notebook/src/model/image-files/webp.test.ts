import { describe, expect, it } from 'vitest';
import { riffChunk, webp, webpFrame, webpHeader } from '../../../test/images/file-parts.ts';
import { exif, readFile } from '../../../test/images/read-file.ts';

// The limits of what the format allows; the hostile files go one step beyond.

describe('WebP', () => {
  /** Lossless: the signature, then 14 bits each for width and height minus one. */
  const lossless = (width: number, height: number, version = 0) => {
    const data = Buffer.alloc(6);
    data[0] = 0x2f;
    data.writeUInt32LE(((width - 1) | ((height - 1) << 14) | (version << 29)) >>> 0, 1);
    return riffChunk('VP8L', data);
  };
  /** Lossy: a key frame that declares a first partition of this length and contains `there` bytes of it. */
  const lossy = (width: number, height: number, { part = 4, there = 4, inter = 0 } = {}) => {
    const data = Buffer.alloc(10 + there);
    data.writeUIntLE((part << 5) | inter, 0, 3);
    data.set([0x9d, 0x01, 0x2a], 3);
    data.writeUInt16LE(width, 6);
    data.writeUInt16LE(height, 8);
    return riffChunk('VP8 ', data);
  };
  const alpha = riffChunk('ALPH', Buffer.from([1, 2, 3]));
  const anim = riffChunk('ANIM', Buffer.alloc(6));

  it('is simple, lossy or not, of every size', () => {
    for (const picture of [lossless(16_384, 1), lossless(1, 1_500), lossy(0x3fff, 2), lossy(2, 0x3fff)]) {
      expect(readFile(webp(picture)).bytes.equals(webp(picture))).toBe(true);
    }
    expect(readFile(webp(lossless(300, 20)))).toMatchObject({ width: 300, height: 20, frames: 1 });
    // The two bits above are for scaling.
    expect(readFile(webp(lossy(0x4000 | 300, 0xc000 | 20)))).toMatchObject({ width: 300, height: 20 });
  });

  it('has, extended, its profile first, then its picture, then its orientation', () => {
    const [icc, meta] = [
      riffChunk('ICCP', Buffer.from('icc')),
      riffChunk('EXIF', Buffer.concat([Buffer.from('Exif\0\0'), exif(6)])),
    ];
    const told = webp(webpHeader(0x3c, 8, 4), icc, alpha, lossy(8, 4), meta, riffChunk('XMP ', Buffer.from('x')));
    const clean = webp(webpHeader(0x38, 8, 4), icc, alpha, lossy(8, 4), riffChunk('EXIF', exif(6)));
    expect(readFile(told).bytes.equals(clean)).toBe(true);
    expect(readFile(told)).toMatchObject({ width: 4, height: 8, storedWidth: 8 });
    // A profile after the picture does not count.
    expect(readFile(webp(webpHeader(0x20, 8, 4), lossy(8, 4), icc)).bytes.equals(webp(webpHeader(0, 8, 4), lossy(8, 4)))).toBe(
      true,
    );
    expect(readFile(webp(webpHeader(0, 8, 4), lossy(8, 4), riffChunk('EXIF', exif(3)))).bytes[20]).toBe(0x08);
  });

  it('moves: frames that fit, each of one picture', () => {
    const film = webp(
      webpHeader(0x12, 10, 6),
      anim,
      webpFrame(0, 8, 4, lossy(8, 4)),
      webpFrame(2, 8, 4, Buffer.concat([alpha, lossy(8, 4)])),
    );
    expect(readFile(film)).toMatchObject({ frames: 2, width: 10, height: 6 });
    expect(readFile(film).bytes.equals(film)).toBe(true);
    const telling = webp(
      webpHeader(0x02, 8, 4),
      anim,
      webpFrame(0, 8, 4, Buffer.concat([riffChunk('XYZ ', Buffer.from('tell')), lossless(8, 4)])),
    );
    expect(readFile(telling).bytes.equals(webp(webpHeader(0x02, 8, 4), anim, webpFrame(0, 8, 4, lossless(8, 4))))).toBe(true);
  });

  it.each([
    ['of another version', webp(lossless(8, 4, 1)), 'has damaged pixels'],
    ['without its start code', webp(riffChunk('VP8 ', Buffer.alloc(14))), 'has damaged pixels'],
    ['that is no key frame', webp(lossy(8, 4, { inter: 1 })), 'has damaged pixels'],
    ['whose first part is not all there', webp(lossy(8, 4, { part: 5 })), 'is cut off'],
    ['without width', webp(lossy(0, 4)), 'has no pixels'],
    ['of nothing but transparency', webp(alpha), 'has no pixels'],
    ['with a header that is too long', webp(riffChunk('VP8X', Buffer.alloc(11)), lossy(8, 4)), 'has a damaged header'],
    ['of another width', webp(webpHeader(0, 9, 4), lossy(8, 4)), 'has two different sizes'],
    ['of another height', webp(webpHeader(0, 8, 5), lossy(8, 4)), 'has two different sizes'],
    ['that moves, with a picture outside', webp(webpHeader(0x02, 8, 4), anim, lossy(8, 4)), 'has its parts in disorder'],
    ['that moves, with transparency outside', webp(webpHeader(0x02, 8, 4), alpha), 'has its parts in disorder'],
    ['that moves without a frame', webp(webpHeader(0x02, 8, 4), anim), 'has no pixels'],
    [
      'with a frame of two pictures',
      webp(webpHeader(0x02, 8, 4), webpFrame(0, 8, 4, Buffer.concat([lossy(8, 4), lossy(8, 4)]))),
      'has no pixels',
    ],
    ['with a frame of none', webp(webpHeader(0x02, 8, 4), webpFrame(0, 8, 4, alpha)), 'has no pixels'],
    ['with a frame of another height', webp(webpHeader(0x02, 8, 5), webpFrame(0, 8, 5, lossy(8, 4))), 'has two different sizes'],
    [
      'with a frame that is too high',
      webp(webpHeader(0x02, 8, 3), webpFrame(0, 8, 4, lossy(8, 4))),
      'has a frame that does not fit',
    ],
  ])('%s is refused', (_, file, fault) => expect(() => readFile(file)).toThrow(fault));
});
