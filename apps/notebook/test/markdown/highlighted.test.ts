import { describe, expect, it } from 'vitest';
import { firstHeading } from '../../src/markdown/heading.ts';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { plainText } from '../../src/operations/plain-text.ts';

const html = (markdown: string) => renderMarkdown(markdown).html.trim();

describe('==words== are marked', () => {
  it.each([
    ['a ==b c== d', '<p>a <mark>b c</mark> d</p>'],
    ['==a **b** `==` c==.', '<p><mark>a <strong>b</strong> <code>==</code> c</mark>.</p>'],
    ['**==a==**', '<p><strong><mark>a</mark></strong></p>'],
    ['これは==重要==です', '<p>これは<mark>重要</mark>です</p>'],
    ['==a==, ==b==', '<p><mark>a</mark>, <mark>b</mark></p>'],
    ['==two\nlines==', '<p><mark>two\nlines</mark></p>'],
    ['==a=b==', '<p><mark>a=b</mark></p>'],
    ['- ==a==', '<ul>\n<li><mark>a</mark></li>\n</ul>'],
    ['snake_case ==a==', '<p>snake_case <mark>a</mark></p>'],
    ['==a==b c==', '<p><mark>a==b c</mark></p>'],
    ['==a\\== b==', '<p><mark>a== b</mark></p>'],
    ['==a ` b==', '<p><mark>a ` b</mark></p>'],
    ['==a ``x`y==, z`` b==', '<p><mark>a <code>x`y==, z</code> b</mark></p>'],
    [`${'word '.repeat(2_000)}==a==`, `<p>${'word '.repeat(2_000)}<mark>a</mark></p>`],
  ])('%s', (markdown, expected) => {
    expect(html(markdown)).toBe(expected);
  });

  it.each([
    'a==b and c==d',
    'x == 1 and y == 2',
    '`==a==`',
    '```\n==a==\n```',
    '\\==a==',
    '==a\n\nb==',
    '===a===',
    '====',
    '==a',
    '[a](/b?c==d&e==f)',
    'https://example.org/?a==b==c',
    '<a title="==b==">c</a>',
  ])('not in %s', markdown => {
    expect(html(markdown)).not.toContain('<mark>');
  });

  it('of up to 2,000 characters, signs included', () => {
    const marked = (chars: number) => html(`==${'a'.repeat(chars - 4)}==`).includes('<mark>');
    expect([marked(2_000), marked(2_001)]).toEqual([true, false]);
  });

  it('wherever a long text is split', () => {
    const words = 'word '.repeat(900);
    for (let at = 4_085; at < 4_105; at += 1)
      expect(html(`${words.slice(0, at - 1)} ==a== b`), `${at}`).toContain('<mark>a</mark>');
  });
});

it('titles and snippets leave the signs out', () => {
  expect(firstHeading('# The ==new== plan, a==b')).toBe('The new plan, a==b');
  expect(plainText('The ==new== plan, a==b and c == d')).toBe('The new plan, a==b and c == d');
});
