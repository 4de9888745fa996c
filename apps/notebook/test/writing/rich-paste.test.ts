import { describe, expect, it } from 'vitest';
import { htmlToMarkdown } from '../../src/browser/field/paste/html-to-markdown.ts';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { clipboards } from './clipboards.ts';

describe('the clipboard of', () => {
  it.each(clipboards)('$name', ({ html, markdown }) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
  });
});

describe('words stay the words that they were', () => {
  it.each([
    ['<b>注意：</b>本文', '<strong>注意：</strong>本文'],
    ['这是<b>“重点”</b>内容', '这是<strong>“重点”</strong>内容'],
    ['a<b><code>b</code></b>c', 'a<strong>`b`</strong>c'],
    ['<i>(a)</i>b <s>(a)</s>b', '<em>(a)</em>b <del>(a)</del>b'],
    ['<b>Note:</b> text <b>(end)</b>.', '**Note:** text **(end)**.'],
    ['<code>a<span>.b</span><span>()</span></code>', '`a.b()`'],
    ['<b>x</b> :smile: at 10:30:15', '**x** \\:smile: at 10:30:15'],
    ['<b>x</b> ==a== b==c', '**x** \\==a== b==c'],
    ['<b>x</b> ~~~~', '**x** \\~\\~\\~\\~'],
    ['<b>x</b> ~a~ ~5 km', '**x** ~a\\~ ~5 km'],
    ['~<b>x</b>~', '\\~**x**\\~'],
    ['C:\\<b>x</b>', 'C:\\\\**x**'],
    ['<b>x</b> www.example.org/_a_', '**x** www.example.org/_a_'],
  ])('%s', (html, markdown) => {
    expect(htmlToMarkdown(`<p>${html}</p>`)).toBe(markdown);
    const read = (text: string) => text.replaceAll(/<[^>]*>/g, '').trim();
    expect(read(renderMarkdown(markdown).html)).toBe(read(html));
  });
});

describe('bounds', () => {
  it.each(['<div>', '<blockquote>', '<ul><li>', '<b>', '<table><tr><td>'])('3,000 times %s inside itself is still read', tag => {
    const markdown = htmlToMarkdown(`<h1>top</h1>${tag.repeat(3_000)}deep`);
    expect(markdown).toContain('# top');
    expect(markdown).toContain('deep');
    expect(markdown!.length).toBeLessThan(20_000);
  });

  it('a table of 10,000 columns does not explode', () => {
    const markdown = htmlToMarkdown(`<b>x</b><table><tr>${'<td>a'.repeat(10_000)}<tr><td colspan=999999>b</table>`);
    expect(markdown!.length).toBeLessThan(100_000);
  });
});
