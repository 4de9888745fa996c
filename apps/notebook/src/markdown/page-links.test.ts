import { describe, expect, it } from 'vitest';
import { findFasterGrowth } from '../../../../tools/growth.ts';
import { hasFileLinks, resolvePageLinks } from './page-links.ts';
import { renderMarkdown } from './render.ts';

const aimed = (markdown: string) =>
  resolvePageLinks(renderMarkdown(markdown).html, (link, heading) => `/p?of=${link}&at=${heading ?? ''}`);

describe('links to files', () => {
  it.each([
    ['[a](One.md)', '<a href="/p?of=One.md&amp;at="'],
    ['[a](<../Two words.md#A Heading>)', '<a href="/p?of=../Two%20words.md&amp;at=a-heading"'],
    ['<a href="x/Three.MD">c</a>', '<a href="/p?of=x/Three.MD&amp;at="'],
    ['[a](Four.mkd) b', '<a href="/p?of=Four.mkd&amp;at="'],
    ['[a](Five.mdown#b)', '<a href="/p?of=Five.mdown&amp;at=b"'],
    ['[a](Five.mdown#user-content-b)', '<a href="/p?of=Five.mdown&amp;at=b"'],
  ])('%s lead to pages', (markdown, expected) => {
    expect(hasFileLinks(renderMarkdown(markdown).html)).toBe(true);
    expect(aimed(markdown)).toContain(expected);
  });

  it.each([
    '[a](https://example.org/One.md)',
    '[a](//example.org/One.md)',
    '`<a href="One.md">`',
    'plain &lt;a href="One.md"',
    '[a](One.mdx)',
    '[a](One.md?x=1)',
    '[title](x "<a href=\'One.md\'")',
  ])('%s stay as they are', markdown => expect(aimed(markdown)).toBe(renderMarkdown(markdown).html));

  it('lead nowhere, and say so, where there is no such page', () => {
    const html = resolvePageLinks(renderMarkdown('[a](Gone.md)').html, () => undefined);
    expect(html).toContain('<a title="There is no page for this link" rel="nofollow ugc noopener noreferrer">a</a>');
    expect(hasFileLinks(html)).toBe(false);
    const titled = resolvePageLinks(renderMarkdown('<a title="mine" href="Gone.md">a</a>').html, () => undefined);
    expect(titled.match(/title="[^"]*"/g)).toEqual(['title="mine"']);
  });

  it('name the file as it was written, whatever signs it has', () => {
    const named: string[] = [];
    const note = (link: string) => void named.push(link);
    for (const file of ['a&b.md', 'a&quot;b.md', 'a&amp;b.md'])
      resolvePageLinks(`<a href="${file.replaceAll('&', '&amp;')}">`, note);
    resolvePageLinks('<a href="a&quot;b.md">', note);
    expect(named).toEqual(['a&b.md', 'a&quot;b.md', 'a&amp;b.md', 'a"b.md']);
  });

  it('stay inside their attribute, whatever the address holds', () => {
    const html = resolvePageLinks(renderMarkdown('[a](One.md)').html, () => '/p?"onclick="x&y');
    expect(html).toContain('<a href="/p?&quot;onclick=&quot;x&amp;y"');
  });

  it('take no more than in proportion', () => {
    for (const opening of ['<a href="', '<a href="x', 'a.md', '<a href="x.md#'])
      expect(
        findFasterGrowth(
          text => resolvePageLinks(text, () => undefined),
          chars => opening.repeat(chars / opening.length),
        ),
      ).toBeUndefined();
  });
});
