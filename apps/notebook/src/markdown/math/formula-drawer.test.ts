import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { renderBounds } from '../bounds.ts';
import { element } from '../tree.ts';
import { FormulaDrawer } from './formula-drawer.ts';
import { loadMathEngine } from './math-engine.ts';

beforeAll(loadMathEngine);
afterEach(() => void vi.restoreAllMocks());

const draw = (drawer: FormulaDrawer, tex: string, display = false) => {
  const place = element('span', {});
  drawer.fill(place, { tex, display, source: `$${tex}$` });
  return place;
};
const isDrawn = (drawer: FormulaDrawer, tex: string) => draw(drawer, tex).tagName === 'span';

it('a long formula scrolls in a box of its own', () => {
  const drawer = new FormulaDrawer();
  expect(draw(drawer, 'x'.repeat(80)).properties).toEqual({ className: ['math-inline'] });
  expect(draw(drawer, 'x'.repeat(81)).properties).toEqual({ className: ['math-long'] });
  expect(draw(drawer, 'x'.repeat(81), true).properties).toEqual({ className: ['math-display'] });
});

it('a formula costs its length, at least twenty, and twenty times as much when it defines commands', () => {
  const spent = (tex: string) => {
    const drawer = new FormulaDrawer();
    draw(drawer, tex);
    return drawer.spent.chars;
  };
  expect(['x', 'x'.repeat(20), 'x'.repeat(21)].map(spent)).toEqual([20, 20, 21]);
  for (const defining of [
    '\\def\\a{b}',
    '\\edef\\a{b}',
    '\\gdef\\a{b}',
    '\\newcommand\\a{b}',
    '\\renewcommand\\a{b}',
    '\\let\\a=b',
  ])
    expect([defining, spent(defining)]).toEqual([defining, 20 * defining.length]);
});

it('a formula is drawn up to its bound of length, which is a fifth when it defines commands', () => {
  vi.spyOn(renderBounds, 'texCharsPerFormula', 'get').mockReturnValue(100 as never);
  const drawer = new FormulaDrawer();
  const defining = (chars: number) => '\\def\\a{b}'.padEnd(chars, 'x');
  expect(['x'.repeat(100), 'x'.repeat(101), defining(20), defining(21)].map(tex => isDrawn(drawer, tex))).toEqual([
    ...[true, false, true, false],
  ]);
  expect(draw(drawer, 'x'.repeat(101)).properties.title).toBe('This formula is too large');
});

it('a formula is drawn up to its bound of elements, and all of a page up to theirs', () => {
  const drawn = new FormulaDrawer();
  draw(drawn, 'x^2');
  // `msup`, `mi` and `mn`.
  expect(drawn.spent.elements).toBe(3);
  vi.spyOn(renderBounds, 'mathElementsPerFormula', 'get').mockReturnValue(3 as never);
  expect(['x^2', 'x^2y'].map(tex => isDrawn(new FormulaDrawer(), tex))).toEqual([true, false]);
  vi.spyOn(renderBounds, 'mathElements', 'get').mockReturnValue(7 as never);
  const page = new FormulaDrawer();
  expect(['x^2', 'x^2', 'x^2', 'x', 'x'].map(tex => isDrawn(page, tex))).toEqual([true, true, false, true, false]);
});

it.each(['\\includegraphics{a.png}', '\\class{a}{x}', '\\id{a}{x}', '\\style{color:red}{x}'])(
  '%s could reach the page, and is shown as it was written',
  tex => expect(draw(new FormulaDrawer(), tex).properties.title).toMatch(/ is not trusted$/),
);

it('a formula that nests too deep is too large', () => {
  const nested = (depth: number) => `${'\\sqrt{'.repeat(depth)}x${'}'.repeat(depth)}`;
  const drawer = new FormulaDrawer();
  expect(isDrawn(drawer, nested(50))).toBe(true);
  for (const depth of [200, 600]) expect(draw(drawer, nested(depth)).properties.title).toBe('This formula is too large');
});

it('commands are expanded 200 times at most', () => {
  const drawer = new FormulaDrawer();
  const expanding = (times: number) => `\\def\\a{x}${'\\a'.repeat(times)}`;
  expect(isDrawn(drawer, expanding(150))).toBe(true);
  expect(draw(drawer, expanding(250)).properties.title).toContain('Too many expansions');
});
