import { describe, expect, it } from 'vitest';
import { gifEnd, gifFrame, gifHeader } from '../../../test/images/file-parts.ts';
import { readFile } from '../../../test/images/read-file.ts';

// The limits of what the format allows; the hostile files go one step beyond.

describe('GIF', () => {
  const frame = gifFrame(8, 8);
  const gif = (...parts: Buffer[]) => Buffer.concat([gifHeader(8, 8), ...parts, gifEnd]);
  const extension = (label: number, ...blocks: Buffer[]) =>
    Buffer.concat([
      Buffer.from([0x21, label]),
      ...blocks.flatMap(block => [Buffer.from([block.length]), block]),
      Buffer.from([0]),
    ]);
  const at = (left: number, top: number, width = 4, height = 4) => {
    const bytes = gifFrame(width, height);
    bytes.writeUInt16LE(left, 1);
    bytes.writeUInt16LE(top, 3);
    return bytes;
  };

  it('keeps what times its frames and repeats them', () => {
    const kept = [
      extension(0xf9, Buffer.alloc(4)),
      ...['NETSCAPE2.0', 'ANIMEXTS1.0'].map(name => extension(0xff, Buffer.from(name), Buffer.alloc(3))),
    ];
    const left = [
      extension(0xff, Buffer.from('XMP DataXMP')),
      extension(0xff, Buffer.from('NETSCAPE2.01')),
      extension(0xfe, Buffer.from('NETSCAPE2.0')),
    ];
    expect(readFile(gif(...kept, ...left, frame)).bytes.equals(gif(...kept, frame))).toBe(true);
  });

  it('may have palettes of every size, or none', () => {
    for (const bits of [0, 3, 7]) {
      const palette = Buffer.alloc(3 * 2 ** (bits + 1));
      const own = Buffer.concat([frame.subarray(0, 9), Buffer.from([0x80 | bits]), palette, frame.subarray(10)]);
      const header = Buffer.concat([gifHeader(8, 8).subarray(0, 10), Buffer.from([0x80 | bits, 0, 0]), palette]);
      const whole = Buffer.concat([header, own, gifEnd]);
      expect(readFile(whole).bytes.equals(whole)).toBe(true);
    }
    const bare = Buffer.concat([gifHeader(8, 8).subarray(0, 10), Buffer.from([7, 0, 0]), frame, gifEnd]);
    expect(readFile(bare).bytes.equals(bare)).toBe(true);
  });

  it.each([
    ['codes of no bit', gif(gifFrame(8, 8, 0)), 'is packed in an unknown way'],
    ['codes of 12 bits', gif(gifFrame(8, 8, 12)), 'is packed in an unknown way'],
    ['a frame without width', gif(gifFrame(0, 8)), 'has no pixels'],
    ['a frame without height', gif(gifFrame(8, 0)), 'has no pixels'],
    ['a frame without width beside the screen', gif(at(2, 0, 0, 4)), 'has no pixels'],
    ['a frame without height beside the screen', gif(at(0, 2, 4, 0)), 'has no pixels'],
    ['a frame that ends too far right', gif(at(16_381, 0)), 'has too long an edge'],
    ['a frame that ends too far down', gif(at(0, 16_381)), 'has too long an edge'],
    ['a second end', Buffer.concat([gif(frame), gifEnd]), 'goes on after its end'],
  ])('with %s is refused', (_, file, fault) => expect(() => readFile(file)).toThrow(fault));

  it('has codes of 1 to 11 bits, and frames beside its screen', () => {
    expect(readFile(gif(gifFrame(8, 8, 1), gifFrame(8, 8, 11), at(16_380, 0), at(0, 16_380))).frames).toBe(4);
  });
});
