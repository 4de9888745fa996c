import { describe, expect, it } from 'vitest';
import { toBookText } from '../../src/markdown/book/book-text.ts';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { plainText } from '../../src/operations/plain-text.ts';

const html = (markdown: string) => renderMarkdown(markdown).html.trim();
const img = (attributes: string) => `<img ${attributes} loading="lazy" referrerpolicy="no-referrer">`;

describe('a picture on its own with a title', () => {
  it('is a figure, and the title its caption', () => {
    expect(html('![A hill](hill.png "The hill, *seen* from <b>below</b>")')).toBe(
      `<figure>${img('src="hill.png" alt="A hill"')}<figcaption>The hill, *seen* from &lt;b&gt;below&lt;/b&gt;</figcaption></figure>`,
    );
  });

  it('may be a link', () => {
    expect(html('[![A](a.png "Words")](/b)')).toMatch(
      /^<figure><a href="\/b"[^>]*><img[^>]*><\/a><figcaption>Words<\/figcaption>/,
    );
  });

  it('keeps its source line, for the preview', () => {
    expect(renderMarkdown('a\n\n![b](c.png "d")', { sourceLines: true }).html).toContain('<figure data-line="3">');
  });

  it('is one in an EPUB, too', () => {
    const { html: book } = renderMarkdown('![b](c.png "d")', { write: toBookText });
    expect(book).toMatch(/<div class="figure">.*c\.png.*<div class="figcaption">d<\/div><\/div>/s);
  });
});

it.each(['![a](b.png "c") words', '![a](b.png)', '| ![a](b.png "c") |\n|-|', '![a](b.png " ")'])('%s is no figure', markdown => {
  expect(html(markdown)).not.toContain('<figure');
});

describe('a width', () => {
  it.each([
    ['![A hill|300](hill.png)', `<p>${img('src="hill.png" alt="A hill" width="300"')}</p>`],
    ['![|300](hill.png)', `<p>${img('src="hill.png" alt="" width="300"')}</p>`],
    ['![A|300x200](hill.png)', `<p>${img('src="hill.png" alt="A" width="300"')}</p>`],
    ['![A or B|C](hill.png)', `<p>${img('src="hill.png" alt="A or B|C"')}</p>`],
    ['![A|0](hill.png)', `<p>${img('src="hill.png" alt="A|0"')}</p>`],
    ['![A|99999](hill.png)', `<p>${img('src="hill.png" alt="A|99999"')}</p>`],
  ])('%s', (markdown, expected) => {
    expect(html(markdown)).toBe(expected);
  });

  it('stands in a table with its bar escaped', () => {
    expect(html('| a |\n|-|\n| ![b\\|40](c.png) |')).toContain(img('src="c.png" alt="b" width="40"'));
  });

  it('is no word of a snippet', () => {
    expect(plainText('![A hill|300](hill.png) stands')).toBe('A hill stands');
  });
});
