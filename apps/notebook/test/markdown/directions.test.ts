import { expect, test } from 'vitest';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { baseDirectionOf } from '../../src/markdown/steps/directions.ts';

const html = (markdown: string) => renderMarkdown(markdown).html.replace(/\n/g, '');

test.each([
  ['# כותרת', /^<h1[^>]* dir="rtl">/],
  ['- בית\n- גן', /^<ul dir="rtl"><li>בית/],
  ['> שיר', /^<blockquote dir="rtl"><p>שיר/],
  ['| א | ב |\n|-|-|\n| 1 | c |', /^<table dir="rtl">.*<td>1<\/td><td dir="ltr">c<\/td>/],
  ['1 ‎**שלום** world', /^<p dir="rtl">/],
])('%j runs from the right', (markdown, expected) => {
  expect(html(markdown)).toMatch(expected);
});

test.each([
  ['English, שלום', '<p>English, שלום</p>'],
  ['123', '<p>123</p>'],
  ['日本語', '<p>日本語</p>'],
])('%j runs as the page does', (markdown, expected) => {
  expect(html(markdown)).toBe(expected);
});

test('an alert runs as its text does, with its title beside its rule', () => {
  expect(html('> [!NOTE]\n> שלום')).toBe(
    '<div class="markdown-alert markdown-alert-note" dir="rtl"><p class="markdown-alert-title">Note</p><p>שלום</p></div>',
  );
  expect(html('> [!NOTE]\n> English, שלום')).not.toContain('dir');
});

test('each block by its own first letter, and what the writer said stands', () => {
  expect(html('a\n\nשלום\n\nb')).toBe('<p>a</p><p dir="rtl">שלום</p><p>b</p>');
  expect(html('<p dir="ltr">שלום</p>')).toBe('<p dir="ltr">שלום</p>');
});

test('a page runs from the right when it has forty such letters, and more of them than of others', () => {
  const [rtl, ltr] = [(count: number) => 'ש'.repeat(count), (count: number) => 'a'.repeat(count)];
  expect([rtl(40), rtl(39), `${rtl(40)} ${ltr(39)}`, `${rtl(40)} ${ltr(40)}`, ''].map(baseDirectionOf)).toEqual([
    ...['rtl', 'ltr', 'rtl', 'ltr', 'ltr'],
  ]);
  // Names of tags are none of its words, nor is one that the sample cuts.
  expect(baseDirectionOf(`<p title="${ltr(100)}">${rtl(40)}`)).toBe('rtl');
  expect(baseDirectionOf(`${rtl(40)}${' '.repeat(39_900)}<p title="${ltr(100)}">`)).toBe('rtl');
});

test('each block of such a page says so, for places outside of it', () => {
  const text = `${'שלום '.repeat(20)}\n\n123\n\nabc`;
  const { html, direction } = renderMarkdown(text, { pageDirection: true });
  expect([direction, html.match(/<p[^>]*>/g)]).toEqual(['rtl', ['<p dir="rtl">', '<p>', '<p dir="ltr">']]);
  expect(renderMarkdown(text)).not.toHaveProperty('direction');
});
