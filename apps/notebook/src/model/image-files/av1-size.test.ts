import { describe, expect, it } from 'vitest';
import { av1Sizes } from './av1-size.ts';
import { Bytes } from './bytes.ts';

/** Bits as in AV1 (5.5): values with their widths. */
type Field = readonly [value: number, bits: number];

function packed(fields: readonly Field[]): number[] {
  const bits = fields.map(([value, count]) => (count === 0 ? '' : BigInt(value).toString(2).padStart(count, '0'))).join('');
  return (`${bits}`.padEnd(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2));
}

/** A unit of this type, with its length unless it extends to the end. */
function unit(type: number, content: readonly number[], { withLength = true, extended = false } = {}): number[] {
  const head = (type << 3) | (extended ? 4 : 0) | (withLength ? 2 : 0);
  return [head, ...(extended ? [0] : []), ...(withLength ? [content.length] : []), ...content];
}

const sizes = (...bytes: number[][]) => av1Sizes(new Bytes(Uint8Array.from(bytes.flat())));
const size: Field[] = [[9, 4], [8, 4], [639, 10], [479, 9]]; // biome-ignore format: bits of the edges, then the edges
const reduced = packed([[0, 3], [1, 1], [1, 1], [4, 5], ...size]); // biome-ignore format: profile, still, reduced, level
const expected = { width: 640, height: 480 };
const start: Field[] = [[0, 3], [0, 1], [0, 1]]; // biome-ignore format: profile, still, not reduced

describe('a sequence header', () => {
  it.each<[string, Field[]]>([
    ['without timing', [[0, 1], [0, 1], [0, 5], [0, 12], [4, 5]]],
    ['with a tier', [[0, 1], [0, 1], [0, 5], [0, 12], [8, 5], [1, 1]]],
    ['of the last level without a tier', [[0, 1], [0, 1], [0, 5], [0, 12], [7, 5]]],
    ['with two operating points', [[0, 1], [0, 1], [1, 5], [0, 12], [4, 5], [5, 12], [9, 5], [0, 1]]],
    ['with a delay of display', [[0, 1], [1, 1], [1, 5], [0, 12], [4, 5], [1, 1], [7, 4], [0, 12], [4, 5], [0, 1]]],
    ['with timing', [[1, 1], [1, 32], [1, 32], [0, 1], [0, 1], [0, 1], [0, 5], [0, 12], [4, 5]]],
    ['with equal pictures', [[1, 1], [1, 32], [1, 32], [1, 1], [1, 3], [3, 2], [0, 1], [0, 1], [0, 5], [0, 12], [4, 5]]],
    [
      'with a model of its decoder',
      [[1, 1], [1, 32], [1, 32], [0, 1], [1, 1], [2, 5], [1, 32], [9, 10], [0, 1], [1, 5], [0, 12], [4, 5], [1, 1], [127, 7], [0, 12], [4, 5], [0, 1]],
    ],
  ])('%s', (_, fields) => expect(sizes(unit(1, packed([...start, ...fields, ...size])))).toEqual([expected])); // biome-ignore format: a row of fields each

  it('of a still picture', () => expect(sizes(unit(1, reduced))).toEqual([expected]));

  it('that never ends a number is refused', () => {
    const endless = packed([...start, [1, 1], [0, 32], [0, 32], [1, 1], [0, 40]]); // biome-ignore format: zeros
    expect(() => sizes(unit(1, endless))).toThrow('has damaged pixels');
  });
});

describe('units', () => {
  it('are walked one by one, whatever they are', () => {
    expect(sizes(unit(2, []), unit(1, reduced), unit(15, [1, 2]), unit(1, reduced, { extended: true }))).toEqual([
      expected,
      expected,
    ]);
    expect(sizes(unit(6, [1, 2, 3], { withLength: false }))).toEqual([]);
    expect(sizes(unit(1, reduced, { withLength: false }))).toEqual([expected]);
    expect(sizes([])).toEqual([]);
  });

  it('have lengths of several bytes', () => {
    expect(sizes([0x0a, 0x80 | reduced.length, 0x80, 0], reduced, unit(1, reduced))).toEqual([expected, expected]);
    const content = new Array(200).fill(0);
    expect(sizes([0x7a, 0xc8, 0x01], content, unit(1, reduced))).toEqual([expected]);
  });

  it.each([
    ['a head that no unit has', [0x8a, 0], 'has damaged pixels'],
    ['more than is there', [0x7a, 5, 0, 0], 'is cut off'],
    ['a length that does not end', [0x7a, ...new Array(9).fill(0x80), 0], 'has an impossible length'],
  ])('with %s are refused', (_, bytes, fault) => expect(() => sizes(bytes)).toThrow(fault));

  it('have lengths of at most eight bytes', () => {
    expect(sizes([0x7a, ...new Array(7).fill(0x80), 0])).toEqual([]);
  });
});
