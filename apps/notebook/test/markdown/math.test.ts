import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { renderBounds } from '../../src/markdown/bounds.ts';
import { toUnsafeHtml } from '../../src/markdown/engine.ts';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { renderLoaded } from '../../src/markdown/render-loaded.ts';
import { forbiddenIn } from './forbidden.ts';

const html = async (markdown: string) => (await renderLoaded(markdown)).html;
/** The formulas that a text has, as TeX; those on lines of their own in double signs. */
async function formulasOf(markdown: string): Promise<string[]> {
  const found = (await html(markdown)).matchAll(/<math( display="block")?>.*?<annotation[^>]*>(.*?)<\/annotation>/gs);
  return [...found].map(([, display, tex]) => (display ? `$$${tex}$$` : `$${tex}$`));
}

test('nothing is loaded for it until a text has a formula; then it is', async () => {
  // Other files share this process and may have loaded it.
  vi.resetModules();
  const { renderMarkdown } = await import('../../src/markdown/render.ts');
  expect(renderMarkdown('US$5 and `$x$`').mathMissing).toBeUndefined();
  expect(renderMarkdown('a $x$').mathMissing).toBe(true);
  expect(renderMarkdown('a $x$').html).toBe('<p>a <code class="math-source">$x$</code></p>\n');
});

test.each([
  ['a $x$ b', ['$x$']],
  ['$x$', ['$x$']],
  ['($x$), "$y$": $z$.', ['$x$', '$y$', '$z$']],
  ['**$a*b$** and *c $d*e$ f*', ['$a*b$', '$d*e$']],
  ['$a_1$ and $b_1$', ['$a_1$', '$b_1$']],
  ['$`a_b`$', ['$a_b$']],
  ['一次$x$二次', ['$x$']],
  ['$a,\nb$', ['$a,\nb$']],
  ['$\\$5$', ['$\\$5$']],
  ['a $$x$$ b', ['$$x$$']],
  ['$$x$$', ['$$x$$']],
  ['$$\na\n- b\n= c\n$$', ['$$a\n- b\n= c$$']],
  ['text\n$$\nx\n$$\ntext', ['$$x$$']],
  ['text\n$$\na\n- b\n$$\nmore', ['$$a\n- b$$']],
  ['text\n   $$\na\n- b\n   $$', ['$$a\n- b$$']],
  ['> $$\n> x\n> $$', ['$$x$$']],
  ['- a $x$\n- $$y$$', ['$x$', '$$y$$']],
  ['| $a$ | b |\n|---|---|\n| c | $d$ |', ['$a$', '$d$']],
  ['[a $x$](https://example.org)', ['$x$']],
  ['a[^1]\n\n[^1]: $x$', ['$x$']],
  ['```math\n\\frac{a}{b}\n```', ['$$\\frac{a}{b}$$']],
  ['<b>a $x$</b>', ['$x$']],
])('as on GitHub, %j has mathematics in it', async (markdown, formulas) => {
  expect(await formulasOf(markdown)).toEqual(formulas);
});

test.each([
  '$5 and $6',
  '$5, $6 and $7',
  'US$5 and US$6',
  'from $5-$10',
  'a $ b $ c',
  'a$x$ and b$y$',
  '$x$y',
  '\\$x\\$',
  '\\$x$',
  '`$x$`',
  '    $x$',
  '```\n$x$\n```',
  '$$',
  '$$$$',
  '$$ $$',
  'a $$ $$ b',
  '$` `$',
  '$$\n\n$$',
  '$x\n\ny$',
  '$$\nx\n\ny\n$$',
  'https://example.org/$x$',
  'echo $HOME $PATH',
  '![a $x$](b.png)',
  '<div>$x$</div>',
])('as on GitHub, %j has none', async markdown => {
  expect(await formulasOf(markdown)).toEqual([]);
  expect(renderMarkdown(markdown).mathMissing).toBeUndefined();
});

test('signs of emphasis within formulas open and close none outside', async () => {
  const drawn = /<span class="math-inline">.*?<annotation[^>]*>(.*?)<\/annotation>.*?<\/span>/g;
  const written = async (markdown: string) => (await html(markdown)).replace(drawn, (_, tex) => `$${tex}$`);
  expect(await written('*a $b* c$ d* and *e $f* g$ h* and _i $j_ k$ l_')).toBe(
    '<p><em>a $b* c$ d</em> and <em>e $f* g$ h</em> and <em>i $j_ k$ l</em></p>\n',
  );
  expect(await written('*US$5* and *$ 6*')).toBe('<p><em>US$5</em> and <em>$ 6</em></p>\n');
});

test('is MathML that needs neither script nor style sheet, with its source for programs', async () => {
  expect(await html('$x^2$')).toBe(
    '<p><span class="math-inline"><math><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow><annotation encoding="application/x-tex">x^2</annotation></semantics></math></span></p>\n',
  );
});

test('columns keep their sides without any inline style', async () => {
  const aligned = await html('$$\n\\begin{aligned} a &= b \\\\ &= c \\end{aligned}\n$$');
  expect(aligned).toContain('math-right');
  expect(aligned).toContain('math-left');
  expect(aligned).not.toContain(' style=');
});

test('what cannot be drawn is shown as it was written, and says why', async () => {
  const bad = await html('a $\\frac{$ b $x$');
  expect(bad).toContain('<code class="math-source" title="This formula cannot be read: ');
  expect(bad).toContain('>$\\frac{$</code> b <span class="math-inline">');
  expect(await html('$\\href{https://example.org}{x}$')).toContain('<code class="math-source"');
});

test('a heading’s name and id are made of the source', async () => {
  const { headings } = await renderLoaded('# The $E=mc^2$ law');
  expect(headings).toEqual([{ depth: 1, id: 'user-content-the-emc2-law', text: 'The $E=mc^2$ law' }]);
});

test('a formula on its own lines carries its source line', async () => {
  const { html } = await renderLoaded('a\n\n$$\nx\n$$\n\n```math\ny\n```', { sourceLines: true });
  expect([...html.matchAll(/data-line="(\d)"/g)].map(([, line]) => line)).toEqual(['1', '3', '7']);
});

test('nobody can write a place holder', async () => {
  expect(await html('<span data-mark="math 1">a</span> $x$ <span data-markx="math 1">b</span>')).not.toMatch(
    /data-mark|math-source/,
  );
  expect(toUnsafeHtml('<span data-mark="math 1">a</span> $x$')).toContain('data-markx="math 1"');
});

test.each([
  ['deep', `$$\n${'\\sqrt{'.repeat(600)}x${'}'.repeat(600)}\n$$`],
  ['long', `$$\n${'x'.repeat(renderBounds.texCharsPerFormula + 1)}\n$$`],
  ['endless', '$\\def\\a{\\a}\\a$'],
  ['wide', `$$\n\\begin{matrix}${'&'.repeat(4_000)}\\end{matrix}\n$$`],
])('a formula that is too %s stays its source, and the page goes on', async (_, formula) => {
  const { html, plain } = await renderLoaded(`${formula}\n\n$y$`);
  expect(plain).toBeUndefined();
  expect(html).toContain('<code class="math-source"');
  expect(html).toContain('<mi>y</mi>');
  expect(forbiddenIn(html)).toEqual([]);
});

test('a page has a budget; past it formulas stay their source', async () => {
  const { html } = await renderLoaded('$x$\n\n'.repeat(12_000));
  const drawn = html.match(/<math>/g)!.length;
  expect(drawn).toBe(renderBounds.texChars / 20);
  expect(html.match(/<code class="math-source">/g)!.length).toBe(12_000 - drawn);
});

test('sizes stay within reason', async () => {
  const huge = await html('$\\rule{9999em}{9999em} \\hspace{-9999em} \\kern9999pt$');
  const widths = [...huge.matchAll(/="(-?[\d.]+)(em|pt)"/g)];
  expect(widths.length).toBeGreaterThan(2);
  for (const [, number, unit] of widths) expect(Math.abs(Number(number)), unit).toBeLessThanOrEqual(unit === 'em' ? 40 : 400);
});

test('thin spaces are as wide as they are written, and negative ones draw what follows nearer', async () => {
  expect(await html('$a\\,b\\;c$')).toMatch(/<mspace width="0\.1667em"><\/mspace><mi>b<\/mi><mspace width="0\.2778em">/);
  const backs = async (tex: string) => [...(await html(`$${tex}$`)).matchAll(/math-back-(\d+)/g)].map(([, mu]) => Number(mu));
  expect(await backs('a\\!b \\negthinspace c \\mkern-9mu d \\kern-18mu e \\kern-3mu f')).toEqual([3, 3, 9, 18, 3]);
  expect(await backs('\\kern-9999mu a')).toEqual([18]);
  const styled = readFileSync(new URL('../../src/browser/styles/math.css', import.meta.url), 'utf8');
  for (const mu of [1, 2, 3, 4, 5, 6, 9, 12, 18]) expect(styled).toContain(`math .math-back-${mu} {`);
});
