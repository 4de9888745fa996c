import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { isAnimated } from './animation.ts';

const red = { create: { width: 40, height: 30, channels: 3, background: '#d22' } } as const;
const blue = { create: { width: 40, height: 30, channels: 3, background: '#22d' } } as const;

async function frames(count: number): Promise<Sharp> {
  const pictures = await Promise.all(
    Array.from({ length: count }, (_, place) =>
      sharp(place % 2 ? blue : red)
        .png()
        .toBuffer(),
    ),
  );
  return count === 1 ? sharp(pictures[0]) : sharp(pictures, { join: { animated: true } });
}

/** An `acTL` chunk before the first `IDAT` makes a PNG animated. */
function withAnimationChunk(png: Buffer, kind: string): Buffer {
  const chunk = Buffer.alloc(20);
  chunk.writeUInt32BE(8, 0);
  chunk.write(kind, 4, 'latin1');
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
}

describe('movement that a canvas would lose', () => {
  it.each([1, 2, 3])('%i frames as GIF and as WebP', async count => {
    expect(isAnimated(await (await frames(count)).gif().toBuffer())).toBe(count > 1);
    expect(isAnimated(await (await frames(count)).webp().toBuffer())).toBe(count > 1);
  });

  it('a still WebP with alpha and metadata is no animation', async () => {
    const still = await sharp({ create: { ...red.create, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0.5 } } })
      .withExif({ IFD0: { Make: 'Octavo' } })
      .webp()
      .toBuffer();
    expect(still.subarray(12, 16).toString()).toBe('VP8X');
    expect(isAnimated(still)).toBe(false);
  });

  it('PNG with and without frames', async () => {
    const png = await (await frames(1)).png().toBuffer();
    expect(isAnimated(png)).toBe(false);
    expect(isAnimated(withAnimationChunk(png, 'acTL'))).toBe(true);
    expect(isAnimated(withAnimationChunk(png, 'tEXt'))).toBe(false);
  });

  it('AVIF still and sequence', async () => {
    const avif = await (await frames(1)).avif().toBuffer();
    expect(isAnimated(avif)).toBe(false);
    expect(isAnimated(Buffer.concat([avif.subarray(0, 8), Buffer.from('avis'), avif.subarray(12)]))).toBe(true);
  });

  it('JPEG, nothing, and files cut anywhere', async () => {
    expect(isAnimated(await (await frames(1)).jpeg().toBuffer())).toBe(false);
    expect(isAnimated(new Uint8Array())).toBe(false);
    const gif = await (await frames(2)).gif().toBuffer();
    for (let size = 0; size < gif.length; size += 1) expect(typeof isAnimated(gif.subarray(0, size))).toBe('boolean');
  });
});
