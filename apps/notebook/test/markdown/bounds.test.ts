import { describe, expect, test } from 'vitest';
import { checkBounds, renderBounds } from '../../src/markdown/bounds.ts';
import { renderMarkdown } from '../../src/markdown/render.ts';

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
