import { expect, it } from 'vitest';
import { BadImage, Bytes, numbersFrom, refuseUnless, textBytes } from './bytes.ts';

const bytes = new Bytes(Uint8Array.of(1, 2, 3, 4, 5, 0xff).subarray(0, 6));
const cutOff = new BadImage('is cut off');

it('reads numbers in both orders, up to the last byte', () => {
  expect([bytes.u8(5), bytes.u16(4), bytes.u32(2), bytes.u16le(4), bytes.u24le(3), bytes.u32le(2)]).toEqual([
    ...[0xff, 0x05ff, 0x030405ff, 0xff05, 0xff0504, 0xff050403],
  ]);
  expect([bytes.uint(0, 0), bytes.uint(0, 3), bytes.length]).toEqual([0, 0x010203, 6]);
  const read = numbersFrom(bytes, 1);
  expect([read(1), read(2), read(0), read(1)]).toEqual([2, 0x0304, 0, 5]);
});

it.each([
  ['u8', 6],
  ['u16', 5],
  ['u32', 3],
  ['u16le', 5],
  ['u24le', 4],
  ['u32le', 3],
  ['u8', -1],
] as const)('%s at %d lies outside', (name, at) => expect(() => bytes[name](at)).toThrow(cutOff));

it('gives pieces that lie inside, none of a negative length', () => {
  expect([...bytes.slice(4, 2), ...bytes.slice(6, 0)]).toEqual([5, 0xff]);
  for (const [at, length] of [[5, 2], [-1, 2], [3, -1]] as const) expect(() => bytes.slice(at, length)).toThrow(cutOff); // biome-ignore format: rows
});

it('compares texts, where they are whole', () => {
  const text = new Bytes(textBytes('abc\xff'));
  expect([text.text(1, 3), text.startsWith(0, 'abc'), text.startsWith(1, 'bc\xff')]).toEqual(['bc\xff', true, true]);
  expect([text.startsWith(2, 'c\xffx'), text.startsWith(0, 'abd')]).toEqual([false, false]);
});

it('takes no number beyond those that are exact', () => {
  const of = (...values: number[]) => new Bytes(Uint8Array.from(values)).uint(0, 8);
  expect(of(0, 0x1f, 255, 255, 255, 255, 255, 255)).toBe(Number.MAX_SAFE_INTEGER);
  expect(() => of(0, 0x20, 0, 0, 0, 0, 0, 0)).toThrow(new BadImage('has an impossible length'));
});

it('refuses by the reason alone', () => {
  expect(() => refuseUnless(true, 'is fine')).not.toThrow();
  expect(() => refuseUnless(false, 'is bad')).toThrow(expect.objectContaining({ name: 'BadImage', message: 'is bad' }));
});
