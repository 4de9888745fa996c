import { describe, expect, it } from 'vitest';
import { jpegEnd, jpegSegment, jpegStart } from '../../../test/images/file-parts.ts';
import { exif, readFile } from '../../../test/images/read-file.ts';

// The limits of what the format allows; the hostile files go one step beyond.

describe('JPEG', () => {
  const frame = (marker = 0xc0, { components = 3, extra = 0 } = {}) =>
    jpegSegment(marker, Buffer.concat([Buffer.from([8, 0, 4, 0, 8, components]), Buffer.alloc(3 * components + extra)]));
  const scan = (...data: number[]) => Buffer.concat([jpegSegment(0xda, Buffer.alloc(6)), Buffer.from(data)]);
  const file = (...parts: Buffer[]) => Buffer.concat([jpegStart, ...parts, jpegEnd]);

  it.each([0xc0, 0xc1, 0xc2])('of the kind %d is shown', marker => {
    expect(readFile(file(frame(marker), scan(1)))).toMatchObject({ type: 'jpeg', width: 8, height: 4 });
  });
  it.each([1, 3, 4])('has %d colors', components => expect(readFile(file(frame(0xc0, { components }), scan(1))).width).toBe(8));

  it.each([
    ['a frame that is too long', file(frame(0xc0, { extra: 1 }), scan(1)), 'has a damaged header'],
    ['a scan without pixels', file(frame(), scan()), 'has no pixels'],
    ['a scan alone', file(scan(1)), 'has its parts in disorder'],
    ['101 scans', file(frame(), ...new Array(101).fill(scan(1))), 'has too many scans'],
    [
      'a part that nobody shows',
      file(frame(), jpegSegment(0xf0, Buffer.alloc(2)), scan(1)),
      'is packed in a way that browsers do not show',
    ],
    [
      'a part before the applications’',
      file(frame(), jpegSegment(0xdf, Buffer.alloc(2)), scan(1)),
      'is packed in a way that browsers do not show',
    ],
    ['a scan that never ends', Buffer.concat([jpegStart, frame(), scan(1, 0xff, 0)]), 'is cut off'],
  ])('with %s is refused', (_, bytes, fault) => expect(() => readFile(bytes)).toThrow(fault));

  it('keeps what lies inside of a scan: stuffed zeros, restarts, fill bytes', () => {
    const inside = scan(1, 0xff, 0, 0xff, 0xd0, 0xff, 0xd7, 0xff, 0xff, 0, 2);
    const whole = file(frame(), inside, scan(0xff, 0));
    expect(readFile(whole).bytes.equals(whole)).toBe(true);
    expect(readFile(file(frame(), ...new Array(100).fill(scan(1)))).width).toBe(8);
  });

  it('has fill bytes before its parts, and parts without content', () => {
    const filled = Buffer.concat([
      jpegStart,
      Buffer.from([0xff, 0xff]),
      frame(),
      jpegSegment(0xfe, Buffer.alloc(0)),
      scan(1),
      jpegEnd,
    ]);
    expect(readFile(filled).bytes.equals(file(frame(), scan(1)))).toBe(true);
  });

  it('keeps applications’ parts by name and number alone', () => {
    const named = (number: number, text: string, length = text.length) =>
      jpegSegment(0xe0 + number, Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(length - text.length)]));
    const icc = named(2, 'ICC_PROFILE\0profile');
    const adobe = named(14, 'Adobe', 12);
    const others = [
      named(3, 'ICC_PROFILE\0x'),
      named(2, 'ICC'),
      named(14, 'Adobe', 13),
      named(13, 'Adobe', 12),
      named(14, 'Other', 12),
      named(15, 'x'),
    ];
    expect(readFile(file(icc, adobe, ...others, frame(), scan(1))).bytes.equals(file(icc, adobe, frame(), scan(1)))).toBe(true);
  });

  it('keeps the first JFIF, without its thumbnail, and the first orientation', () => {
    const jfif = (units: number) =>
      Buffer.concat([Buffer.from('JFIF\0\x01\x02', 'latin1'), Buffer.from([units, 0, 1, 0, 1, 2, 3]), Buffer.alloc(18)]);
    const exifSegment = (value: number) => jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif(value)]));
    const told = file(jpegSegment(0xe0, jfif(1)), jpegSegment(0xe0, jfif(2)), exifSegment(6), exifSegment(3), frame(), scan(1));
    const clean = jpegSegment(0xe0, Buffer.concat([jfif(1).subarray(0, 12), Buffer.alloc(2)]));
    expect(readFile(told).bytes.equals(file(clean, exifSegment(6), frame(), scan(1)))).toBe(true);
    expect(readFile(told)).toMatchObject({ width: 4, height: 8 });
    const wrong = file(
      jpegSegment(0xe1, jfif(1)),
      jpegSegment(0xe0, Buffer.concat([Buffer.from('Exif\0\0'), exif(6)])),
      frame(),
      scan(1),
    );
    expect(readFile(wrong).bytes.equals(file(frame(), scan(1)))).toBe(true);
  });

  it('goes on after its end only where it says so', () => {
    const followers = (number: number) => jpegSegment(0xe0 + number, Buffer.from('MPF\0'));
    const whole = file(frame(), scan(1));
    expect(readFile(Buffer.concat([file(followers(2), frame(), scan(1)), whole])).bytes.equals(whole)).toBe(true);
    expect(() => readFile(Buffer.concat([file(followers(3), frame(), scan(1)), whole]))).toThrow('goes on after its end');
  });
});
