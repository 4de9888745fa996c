import { expect, it } from 'vitest';
import { analyzePixels } from './analyze-pixels.ts';

function pixels(count: number, color: (place: number) => readonly [number, number, number, number]): Uint8ClampedArray {
  return Uint8ClampedArray.from(Array.from({ length: count }, (_, place) => color(place)).flat());
}

it.each([
  ['flat colors', pixels(5000, place => [place % 7, 0, 0, 255]), { transparent: false, fewColors: true }],
  ['256 colors', pixels(5000, place => [place % 256, 0, 0, 255]), { transparent: false, fewColors: true }],
  ['a photograph', pixels(5000, place => [place % 256, place >> 8, 0, 255]), { transparent: false, fewColors: false }],
  [
    'one clear pixel at the end',
    pixels(99, place => [0, 0, 0, place === 98 ? 254 : 255]),
    { transparent: true, fewColors: false },
  ],
] as const)('%s', (_, rgba, expected) => {
  expect(analyzePixels(rgba)).toEqual(expected);
});
