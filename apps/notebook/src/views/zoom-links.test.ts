import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../markdown/render.ts';
import { linkImages } from './zoom-links.ts';

const linked = (markdown: string) => [...linkImages(renderMarkdown(markdown).html).matchAll(/<a class="zoom" href="([^"]*)"/g)];
const addresses = (markdown: string) => linked(markdown).map(([, address]) => address);

describe('an image on its own leads to its file', () => {
  it.each([
    ['![a](https://images.example/1.png)', 'https://images.example/1.png'],
    ['![a](/i/1.png?x=1&y=2 "Caption")', '/i/1.png?x=1&amp;y=2'],
    ['<p align="center"><img alt="x > y" src="a.png" width="40"></p>', 'a.png'],
    ['> ![a|300](a.png)', 'a.png'],
  ])('%s', (markdown, address) => {
    expect(addresses(markdown)).toEqual([address]);
  });

  it('has a name where the image has no words', () => {
    expect(linkImages(renderMarkdown('![](a.png)').html)).toContain('aria-label="Show the image larger"');
    expect(linkImages(renderMarkdown('![A hill](a.png)').html)).not.toContain('aria-label');
  });
});

it.each([
  '![a](a.png) words',
  'words ![a](a.png)',
  '[![a](a.png)](/b)',
  '`<p><img src="a.png"></p>`',
  '<p><img alt="no source"></p>',
])('%s has no such link', markdown => {
  expect(addresses(markdown)).toEqual([]);
});

it('nothing of an attribute becomes a tag', () => {
  const html = renderMarkdown('![a"><p><img src="https://b.example/" alt="](c.png)').html;
  expect(linkImages(html).match(/<a /g)).toHaveLength(1);
  expect(linkImages(html)).toContain('href="c.png"');
});
