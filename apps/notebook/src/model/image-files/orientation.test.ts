import { describe, expect, it } from 'vitest';
import { isTurned, orientationOnly, readOrientation } from './orientation.ts';

interface Entry {
  readonly tag?: number;
  readonly type?: number;
  readonly count?: number;
  readonly value: number;
}

interface Form {
  readonly little?: boolean;
  /** The number of entries that the structure declares, whatever follows. */
  readonly counted?: number;
  readonly mark?: string;
}

/** A TIFF structure with these entries, after eight bytes that nobody reads. */
function tiff(entries: readonly Entry[], { little = false, counted = entries.length, mark }: Form = {}): Buffer {
  const bytes = Buffer.alloc(18 + 12 * entries.length);
  const u16 = (value: number, at: number) => (little ? bytes.writeUInt16LE(value, at) : bytes.writeUInt16BE(value, at));
  const u32 = (value: number, at: number) => (little ? bytes.writeUInt32LE(value, at) : bytes.writeUInt32BE(value, at));
  bytes.write(mark ?? (little ? 'II*\0' : 'MM\0*'), 'latin1');
  u32(16, 4);
  u16(counted, 16);
  for (const [number, { tag = 0x0112, type = 3, count = 1, value }] of entries.entries()) {
    const at = 18 + 12 * number;
    u16(tag, at);
    u16(type, at + 2);
    u32(count, at + 4);
    u16(value, at + 8);
  }
  return bytes;
}

describe.each([false, true])('EXIF, little-endian: %s', little => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('says %d', value => expect(readOrientation(tiff([{ value }], { little }))).toBe(value));

  it('says it behind others, the first counts', () => {
    expect(readOrientation(tiff([{ tag: 0x0110, value: 3 }, { value: 6 }, { value: 8 }], { little }))).toBe(6);
  });

  it.each([
    ['nothing', []],
    ['another tag', [{ tag: 0x0113, value: 6 }]],
    ['another type', [{ type: 4, value: 6 }]],
    ['two values', [{ count: 2, value: 6 }]],
    ['0', [{ value: 0 }]],
    ['9', [{ value: 9 }]],
  ] as const)('that says %s says none', (_, entries) => expect(readOrientation(tiff(entries, { little }))).toBe(1));

  it('is not read past its entries', () => {
    expect(readOrientation(tiff([{ value: 6 }], { little, counted: 0 }))).toBe(1);
  });
});

it('what cannot be read says none', () => {
  expect(readOrientation(tiff([{ value: 6 }], { mark: 'XX\0*' }))).toBe(1);
  expect(readOrientation(tiff([{ value: 6 }], { mark: 'MM*\0' }))).toBe(1);
  expect(readOrientation(tiff([{ value: 6 }]).subarray(0, 20))).toBe(1);
  expect(readOrientation(Buffer.alloc(0))).toBe(1);
});

it('a fault of ours is no orientation', () => {
  expect(() => readOrientation(null as never)).toThrow(TypeError);
});

it('is written alone, and read again', () => {
  expect(orientationOnly(1)).toBeUndefined();
  for (const value of [2, 5, 8]) expect(readOrientation(orientationOnly(value)!)).toBe(value);
  // The header, one entry, and no second directory.
  expect(orientationOnly(6)!.length).toBe(26);
  expect([4, 5, 8].map(isTurned)).toEqual([false, true, true]);
});
