import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../../markdown/render.ts';
import { altText, imageLink } from './image-markdown.ts';

const url = 'https://images.example/abc/0123456789abcdef.webp';

describe('the alternative text of an image', () => {
  it.each([
    ['photo.png', 'photo'],
    ['IMG_2041.jpeg', 'IMG_2041'],
    ['two.parts.png', 'two.parts'],
    ['.png', 'image'],
    ['', 'image'],
    ['a [b](c).png', 'a \\[b\\](c)'],
    ['_so_.gif', '\\_so\\_'],
    ['evil\u202Egpj.png', 'evil gpj'],
    ['写真.webp', '写真'],
  ])('of %j is %j', (name, alt) => {
    expect(altText(name)).toBe(alt);
  });

  it('reads as the file was called, and nothing in a name becomes markup', () => {
    const name = fc.oneof(fc.string(), fc.stringMatching(/^[![\]()<>&`#*"'\\~|$ a-z_-]{1,60}$/));
    fc.assert(
      fc.property(name, fileName => {
        const { html } = renderMarkdown(`before ${imageLink(fileName, url)} after`);
        const tags = html.match(/<[a-z]+/g);
        expect(tags).toEqual(['<p', '<img']);
        expect(html).toContain(`src="${url}"`);
        expect(html).toMatch(/after<\/p>/);
      }),
    );
  });
});
