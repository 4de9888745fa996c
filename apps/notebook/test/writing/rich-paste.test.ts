import { describe, expect, it } from 'vitest';
import { htmlToMarkdown } from '../../src/browser/field/paste/html-to-markdown.ts';
import { clipboards } from './clipboards.ts';

describe('the clipboard of', () => {
  it.each(clipboards)('$name', ({ html, markdown }) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
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
