import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../src/markdown/render.ts';

const inline = (html: string) => renderMarkdown(`a ${html}`).html.replace(/^<p>a (.*)<\/p>\n$/s, '$1');
const block = (html: string) => renderMarkdown(`<div>\n${html}\n</div>`).html.replace(/^<div>\n(.*)\n<\/div>\n$/s, '$1');

describe('what spec 1 §2 names stays', () => {
  test.each([
    '<kbd>Ctrl</kbd>',
    '<mark>m</mark>',
    '<abbr title="HyperText">HT</abbr>',
    '<sub>a</sub><sup>b</sup>',
    '<ins>a</ins><del>b</del><s>c</s>',
    '<q cite="https://example.org">a</q>',
    '<span dir="rtl" lang="he">a</span>',
    '<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>',
    '<samp>a</samp><var>b</var><tt>c</tt>',
    '<br>',
    '<cite>a</cite><dfn>b</dfn><time>c</time><small>d</small>',
    'a<wbr>b',
    '<bdi>a</bdi><bdo dir="rtl">b</bdo>',
  ])('%s', html => {
    expect(inline(html)).toBe(html);
  });

  test.each([
    '<details open=""><summary>a</summary>b</details>',
    '<table align="center"><tbody><tr align="left"><td align="right" valign="top" colspan="2" rowspan="3">a</td></tr></tbody></table>',
    '<table><thead align="center"><tr><th align="left" scope="col">a</th></tr></thead></table>',
    '<table><caption>a</caption><colgroup><col span="2"></colgroup><tbody><tr><td>b</td></tr></tbody></table>',
    '<p align="center">a</p>',
    '<dl><dt>a</dt><dd>b</dd></dl>',
    '<ol start="3"><li value="4">a</li></ol>',
    '<figure><figcaption>a</figcaption></figure>',
    '<blockquote cite="https://example.org">a</blockquote>',
    '<hr>',
  ])('%s', html => {
    expect(block(html)).toBe(html);
  });
});

describe('what GitHub’s schema removes goes', () => {
  test.each([
    ['<p style="color:red">a</p>', '<p>a</p>'],
    ['<p class="notice">a</p>', '<p>a</p>'],
    ['<p data-line="7" data-x="y">a</p>', '<p>a</p>'],
    ['<p hidden contenteditable draggable="true">a</p>', '<p>a</p>'],
    ['<font color="red">a</font>', 'a'],
    ['<center>a</center>', 'a'],
    [
      '<form action="x"><input name="a"></form>',
      '<input name="user-content-a" disabled="" type="checkbox" aria-label="Incomplete task">',
    ],
    ['<tr><td>a</td></tr>', 'a'],
    ['<li class="evil task-list-item">a</li>', '<li>a</li>'],
    ['<p id="x">a</p>', '<p id="user-content-x">a</p>'],
    [
      '<a href="/b" data-footnote-ref data-footnote-backref class="data-footnote-backref">a</a>',
      '<a href="/b" rel="nofollow ugc noopener noreferrer">a</a>',
    ],
    ['<section data-footnotes class="footnotes">a</section>', '<section>a</section>'],
    [
      '<h2 class="sr-only">a</h2>',
      '<h2 id="user-content-a"><a class="anchor" href="#user-content-a" aria-hidden="true" tabindex="-1"></a>a</h2>',
    ],
    ['<code class="evil">a</code>', '<code>a</code>'],
    ['<p tabindex="9">a</p>', '<p>a</p>'],
    ['<a href="/b" accesskey="s" tabindex="1">a</a>', '<a href="/b" rel="nofollow ugc noopener noreferrer">a</a>'],
    ['<summary accesskey="e">a</summary>', '<summary>a</summary>'],
  ])('%s', (html, left) => {
    expect(block(html)).toBe(left);
  });
});

test.each([
  ['<caption>a</caption>', 'a'],
  ['<col>a', 'a'],
  ['<colgroup><col></colgroup>a', 'a'],
  ['<td>a</td>', 'a'],
  ['<tr>a<td>b', 'ab'],
  ['<col>\n\n# a\n\nb', '<h1 id="user-content-a">a</h1>\n<p>b</p>'],
  ['a[^1]\n\n[^1]: <col>b', 'b'],
])('a part of a table that stands alone goes, and its words stay: %j', (markdown, left) => {
  expect(renderMarkdown(markdown).html.replace(/<a class="anchor"[^>]*><\/a>/, '')).toContain(left);
  expect(renderMarkdown(markdown).html).not.toMatch(/<(?:caption|col|colgroup|td|tr)\b/);
});

describe('addresses', () => {
  test.each([
    ['https://example.org', true],
    ['http://example.org', true],
    ['mailto:a@example.org', true],
    ['irc://example.org', true],
    ['xmpp:a@example.org', true],
    ['/n/other', true],
    ['other', true],
    ['?a:b', true],
    ['ftp://example.org', false],
    ['javascript:x', false],
    ['data:text/html,x', false],
    ['tel:1', false],
  ])('a link to %s', (href, stays) => {
    expect(renderMarkdown(`[a](${href})`).html.includes('href=')).toBe(stays);
  });

  test.each([
    ['/a.png, /b.png 2x', true],
    ['/a.png, HTTPS://example.org/b.png 2x', true],
    ['/a.png, /b?c:d 2x', true],
    ['data:image/png;base64,AAAA', false],
    ['/a.png, blob:x 2x', false],
    ['/a.png 1x, /b.png 2x,  ftp://example.org/c.png 3x', false],
  ])('images to choose from at %s', (srcset, stays) => {
    expect(inline(`<picture><source srcset="${srcset}"></picture>`)).toBe(
      `<picture><source${stays ? ` srcset="${srcset}"` : ''}></picture>`,
    );
  });

  test.each([
    ['https://example.org/a.png', true],
    ['/a.png', true],
    ['data:image/png;base64,AAAA', false],
    ['blob:x', false],
  ])('an image at %s', (src, stays) => {
    expect(renderMarkdown(`![a](${src})`).html.includes('src=')).toBe(stays);
  });
});
