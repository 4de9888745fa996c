import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseBounded } from '../../src/markdown/bounded-tree.ts';
import { checkBounds, OverBound, renderBounds } from '../../src/markdown/bounds.ts';
import { chooseMark } from '../../src/markdown/mark.ts';
import { reasonOf, renderMarkdown } from '../../src/markdown/render.ts';
import { sanitizedTree } from '../../src/markdown/safe-tree.ts';
import { ColorBudget } from '../../src/markdown/steps/highlight.ts';

const row = (cell: string, columns: number) => `|${`${cell}|`.repeat(columns)}\n`;

describe('what is over a bound is shown as it was written', () => {
  test.each([
    ['nesting', `${'>'.repeat(renderBounds.containers + 1)} a`],
    ['nesting', `${'- '.repeat(renderBounds.containers + 1)}a`],
    ['nesting', '<div>'.repeat(renderBounds.treeDepth + 1)],
    ['nesting', '<b><i>\n\n'.repeat(renderBounds.treeDepth)],
    ['table-width', row('a', renderBounds.tableColumns + 1) + row('-', renderBounds.tableColumns + 1)],
    ['table-width', row('a', 100) + row('-', 100) + 'b\n'.repeat(renderBounds.tableCells / 100)],
    ['output', 'a'.repeat(renderBounds.sourceChars + 1)],
    ['output', '&'.repeat(renderBounds.outputChars / 5 + 1)],
  ] as const)('%s', (reason, markdown) => {
    const rendered = renderMarkdown(markdown);
    expect(rendered.plain).toBe(reason);
    expect(rendered.headings).toEqual([]);
    expect(rendered.html).toBe(
      `<pre>\n${markdown.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</pre>`,
    );
  });
});

describe('what people write is within the bounds', () => {
  test.each([
    ['a table of 5,000 rows', row('a', 12) + row('-', 12) + row('b', 12).repeat(5_000)],
    ['a table of 100 columns', row('a', 100) + row('-', 100) + row('b', 100).repeat(50)],
    ['ten quotes in each other', Array.from({ length: 10 }, (_, depth) => `${'> '.repeat(depth + 1)}a`).join('\n\n')],
    ['twenty lists in each other', Array.from({ length: 20 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
    ['a line of signs', `${'>'.repeat(80)}\n\n${'-'.repeat(300)}\n\n${'- '.repeat(90)}\n\n${'='.repeat(300)}`],
    ['code of ten thousand lines', `\`\`\`js\n${'let a = [1, 2];\n'.repeat(10_000)}\`\`\``],
    ['code full of angle brackets', `\`\`\`ts\n${'const a: Map<string, Array<B>> = <C>d;\n'.repeat(2_000)}\`\`\``],
    ['a drawing of a thousand paths', `<svg>${'<path d="M0 0"/>'.repeat(1_000)}</svg>`],
    ['a thousand line breaks', 'a<br>'.repeat(1_000)],
    ['a thousand headings', '# a\n\nb\n\n'.repeat(1_000)],
  ])('%s', (_, markdown) => {
    expect(checkBounds(markdown)).toBeUndefined();
    expect(renderMarkdown(markdown).plain).toBeUndefined();
  });
});

/** A template literal within a template literal, each with a color of its own and one for what it substitutes. */
const literals = (count: number): string => `\`\`\`js\n${'`a${'.repeat(count)}b${'}`'.repeat(count)}\n\`\`\``;
const colors = (markdown: string): number => renderMarkdown(markdown).html.split('<span').length - 1;

test('code whose colors would nest too deep has none', () => {
  const most = renderBounds.highlightedDepth / 2;
  expect([colors(literals(most)), colors(literals(most + 1))]).toEqual([2 * most, 0]);
  expect(renderMarkdown(literals(2_000)).plain).toBeUndefined();
});

describe('a text is within a bound up to the last one, and over it with one more', () => {
  const { sourceChars, containers, tableColumns, tableCells, treeDepth } = renderBounds;
  const table = (columns: number, rows: number) => {
    const line = (cell: string) => `${Array(columns).fill(cell).join('|')}\n`;
    return line('a') + line('-') + 'b\n'.repeat(rows);
  };
  test.each<[what: string, make: (most: number) => string, most: number, reason: string]>([
    ['characters', most => 'a'.repeat(most), sourceChars, 'output'],
    ['quotes', most => `${'>'.repeat(most)} a`, containers, 'nesting'],
    ['items on one line', most => `${'1. '.repeat(most)}a`, containers, 'nesting'],
    ['items, each indented', most => `${'  '.repeat(most - 1)}- a`, containers, 'nesting'],
    ['columns', most => table(most, 1), tableColumns, 'table-width'],
    ['columns between outer bars', most => table(most, 1).replace(/^.+$/gm, '| $& |'), tableColumns, 'table-width'],
    ['columns after a bar', most => table(most, 1).replace(/^/gm, '|'), tableColumns, 'table-width'],
    ['columns before a bar', most => table(most, 1).replace(/$/gm, '|'), tableColumns, 'table-width'],
    ['columns in an item', most => table(most, 1).replace(/^/gm, '1. '), tableColumns, 'table-width'],
    ['columns in quotes', most => table(most, 1).replace(/^/gm, '> > '), tableColumns, 'table-width'],
    // The row of hyphens counts, too.
    ['cells', most => table(100, most / 100 - 1), tableCells, 'table-width'],
  ])('%s', (_, make, most, reason) => {
    expect(checkBounds(make(most))).toBeUndefined();
    expect(checkBounds(make(most + (reason === 'table-width' && most === tableCells ? 100 : 1)))).toBe(reason);
  });

  test('a blank line ends a table: what follows has no cells', () => {
    expect(checkBounds(`${table(200, 1)}\n${'b\n'.repeat(tableCells / 200)}`)).toBeUndefined();
  });

  test('elements in each other, one of which is the parser’s own', () => {
    const nested = (depth: number) => `${'<div>'.repeat(depth - 1)}a`;
    expect(renderMarkdown(nested(treeDepth)).plain).toBeUndefined();
    expect(renderMarkdown(nested(treeDepth + 1)).plain).toBe('nesting');
    // What is no part of a table is put before it.
    const moved = (depth: number) => `<table>${'<b>'.repeat(depth - 1)}a`;
    expect(renderMarkdown(moved(treeDepth)).plain).toBeUndefined();
    expect(renderMarkdown(moved(treeDepth + 1)).plain).toBe('nesting');
  });

  describe('of another size', () => {
    afterEach(() => void vi.restoreAllMocks());

    test('elements', () => {
      // Two are the parser's own.
      vi.spyOn(renderBounds, 'elements', 'get').mockReturnValue(5 as never);
      expect(() => parseBounded('a<br>b<i>c</i><br>')).not.toThrow();
      expect(() => parseBounded('a<br>b<i>c</i><br><br>')).toThrow(new OverBound('output'));
    });

    test('HTML before it is sanitized', () => {
      vi.spyOn(renderBounds, 'unsafeChars', 'get').mockReturnValue(10 as never);
      const sanitized = (html: string) => sanitizedTree(html, chooseMark(html), 'x-');
      expect(sanitized('x'.repeat(10)).children).toEqual([{ type: 'text', value: 'x'.repeat(10) }]);
      expect(() => sanitized('x'.repeat(11))).toThrow(new OverBound('output'));
    });
  });
});

test('colors have a budget for each block, and one for the whole text', () => {
  const { highlightedCharsPerBlock: block, highlightedChars: all } = renderBounds;
  const budget = new ColorBudget();
  expect([budget.spend(block + 1), budget.spend(block)]).toEqual([false, true]);
  for (let spent = 2 * block; spent <= all; spent += block) expect(budget.spend(block)).toBe(true);
  expect(budget.spend(1)).toBe(false);
});

describe('what goes wrong shows the text as it was written', () => {
  test('too many calls within each other mean that it nests too deep; of other errors none of the text’s is the reason', () => {
    expect([new RangeError(), new OverBound('output'), new Error(), undefined].map(reasonOf)).toEqual([
      ...['nesting', 'output', undefined, undefined],
    ]);
  });

  test('an error of ours is told', () => {
    const told = vi.fn();
    const ours = new Error('ours');
    const read = () => {
      throw ours;
    };
    expect(renderMarkdown('*a* <', { read, onFault: told })).toEqual({
      html: '<pre>\n*a* &lt;</pre>',
      headings: [],
      plain: 'fault',
    });
    expect(told.mock.calls).toEqual([[ours]]);
  });

  test('a book has the bound of a page', () => {
    const write = (chars: number) => () => ({ html: 'x'.repeat(chars), headings: [] });
    expect(renderMarkdown('a', { write: write(renderBounds.outputChars) }).plain).toBeUndefined();
    expect(renderMarkdown('a', { write: write(renderBounds.outputChars + 1) }).plain).toBe('output');
  });
});
