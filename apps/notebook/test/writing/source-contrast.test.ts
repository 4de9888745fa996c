import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const style = (name: string) => readFileSync(new URL(`../../src/browser/styles/${name}.css`, import.meta.url), 'utf8');
const rules = style('tokens') + style('source-colors');
type Color = readonly [red: number, green: number, blue: number, alpha: number];

/** The colors of a declaration `light-dark(one, other)`. */
function pairOf(declaration: RegExp): readonly [light: Color, dark: Color] {
  const value = declaration.exec(rules)?.[1] ?? '';
  const [light, dark] = [...value.matchAll(/#[0-9a-f]{6}|rgb\([^)]*\)/g)].map(([color]) => read(color));
  if (!light || !dark) throw new Error(`No two colors in ${declaration}`);
  return [light, dark];
}

function read(color: string): Color {
  if (color.startsWith('#')) {
    const [red, green, blue] = [1, 3, 5].map(at => Number.parseInt(color.slice(at, at + 2), 16)) as [number, number, number];
    return [red, green, blue, 1];
  }
  return color.match(/[\d.]+/g)!.map(Number) as unknown as Color;
}

const named = (name: string) => pairOf(new RegExp(`--${name}: light-dark\\((.*)\\);`));

function over([red, green, blue, alpha]: Color, ground: Color): Color {
  const mixed = ([red, green, blue] as const).map((value, at) => value * alpha + ground[at]! * (1 - alpha));
  return [mixed[0]!, mixed[1]!, mixed[2]!, 1];
}

function luminance([red, green, blue]: Color): number {
  const linear = [red, green, blue].map(value =>
    value / 255 <= 0.040_45 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!;
}

/** WCAG 2.2, relative luminance. */
function contrast(one: Color, other: Color): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const inks = [...rules.matchAll(/--(source-\w+):/g)].map(([, name]) => name!);
const selection = pairOf(/\[data-colored\]::selection \{\s*background: light-dark\((.*)\);/);

describe.each([
  ['light', 0],
  ['dark', 1],
] as const)('colors of the source in the %s scheme', (_, scheme) => {
  it.each(['ink', ...inks])('%s is at least 4.5:1 on the sheet, on a match and on a marked word', name => {
    for (const ground of ['sheet', 'marker', 'accent-wash'])
      expect(contrast(named(name)[scheme], named(ground)[scheme]), ground).toBeGreaterThanOrEqual(4.5);
  });

  // The selection lies above the copy, so it mixes with the letters too.
  it.each(['ink', ...inks])('%s is at least 4.5:1 in a selection', name => {
    const sheet = named('sheet')[scheme];
    const wash = selection[scheme];
    expect(contrast(over(wash, named(name)[scheme]), over(wash, sheet))).toBeGreaterThanOrEqual(4.5);
  });
});

it('there are colors to look at', () => {
  expect(inks.length).toBeGreaterThanOrEqual(8);
});
