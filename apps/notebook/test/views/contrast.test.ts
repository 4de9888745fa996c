import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const style = (name: string) => readFileSync(new URL(`../../src/browser/styles/${name}.css`, import.meta.url), 'utf8');
const kraft = /\n\.paper-kraft \{(.*?)\n\}/s.exec(style('papers'))![1]!;

/** The values in the last of these rules that sets the color: light, dark. */
function pairOf(name: string, ...rules: readonly string[]): readonly string[] {
  const value = rules.map(rule => new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\);`).exec(rule)).findLast(Boolean);
  if (!value) throw new Error(`No two colors of ${name}`);
  return value.slice(1);
}

function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map(at => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, relative luminance. */
function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const texts = ['ink', 'ink-soft', 'accent', 'accent-strong', 'good', 'warn', 'bad', 'violet'];
const codes = ['comment', 'keyword', 'string', 'number', 'title', 'type', 'variable', 'meta'];

// axe leaves out whatever lies on a picture, and so all of the kraft paper.
describe.each([
  ['plain', style('tokens')],
  ['kraft', style('tokens') + style('papers'), kraft],
])('colors on %s paper', (_, ...rules) => {
  const low = (pairs: readonly (readonly [string, string])[], least: number) =>
    pairs.flatMap(([front, back]) =>
      [0, 1]
        .map(scheme => [front, back, contrast(pairOf(front, ...rules)[scheme]!, pairOf(back, ...rules)[scheme]!)] as const)
        .filter(([, , ratio]) => ratio < least),
    );
  const on = (fronts: readonly string[], ...backs: readonly string[]) =>
    backs.flatMap(back => fronts.map(front => [front, back] as const));

  it('of texts are at least 4.5:1', () => {
    expect(low(on(texts, 'sheet', 'raised', 'sunk', 'accent-wash'), 4.5)).toEqual([]);
    expect(low(on(['ink', 'accent', 'accent-strong'], 'marker', 'good-wash', 'warn-wash', 'bad-wash'), 4.5)).toEqual([]);
    expect(low([...on(['on-accent'], 'accent', 'accent-strong')], 4.5)).toEqual([]);
  });

  it('of code are at least 4.5:1', () => {
    const ground = pairOf('sunk', ...rules);
    for (const name of codes) {
      const ink = pairOf(`code-${name}`, style('code'));
      for (const scheme of [0, 1]) expect(contrast(ink[scheme]!, ground[scheme]!), name).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('of the edges of controls and of focus are at least 3:1', () => {
    expect(low(on(['edge', 'accent'], 'sheet', 'raised', 'sunk'), 3)).toEqual([]);
  });
});

it('marked words are not in the softer ink of what is around them', () => {
  expect(/\.prose mark \{[^}]*\bcolor: ([^;]*);/.exec(style('prose'))![1]).toBe('var(--ink)');
  expect(contrast(pairOf('ink-soft', style('tokens'))[1]!, pairOf('marker', style('tokens'))[1]!)).toBeLessThan(4.5);
});
