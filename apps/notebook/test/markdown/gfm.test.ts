import { describe, expect, test } from 'vitest';
import { toUnsafeHtml } from '../../src/markdown/engine.ts';

const flat = (markdown: string) => toUnsafeHtml(markdown).replace(/>\n+/g, '>').replace(/\n+</g, '<').trim();

describe('tables', () => {
  test.each([
    [
      'alignment comes out as align',
      '|l|c|r|n|\n|:-|:-:|-:|-|\n|1|2|3|4|',
      '<table><thead><tr><th align="left">l</th><th align="center">c</th><th align="right">r</th><th>n</th></tr></thead><tbody><tr><td align="left">1</td><td align="center">2</td><td align="right">3</td><td>4</td></tr></tbody></table>',
    ],
    [
      'outer pipes may be left out',
      'a | b\n--|--\n1 | 2',
      '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
    ],
    [
      'an escaped pipe is no border, in code neither',
      '|a|\n|-|\n|x \\| y `p \\| q`|',
      '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>x | y <code>p | q</code></td></tr></tbody></table>',
    ],
    [
      'missing cells are empty, further ones dropped',
      '|a|b|\n|-|-|\n|1|\n|1|2|3|',
      '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td></td></tr><tr><td>1</td><td>2</td></tr></tbody></table>',
    ],
    ['a header of another width is a paragraph', '|a|b|\n|-|\n|1|', '<p>|a|b|\n|-|\n|1|</p>'],
    ['a header alone has no body', '|a|\n|-|', '<table><thead><tr><th>a</th></tr></thead></table>'],
    [
      'ends at a blank line',
      '|a|\n|-|\n|1|\n\nb',
      '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table><p>b</p>',
    ],
    [
      'ends at another block',
      '|a|\n|-|\n|1|\n> b',
      '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table><blockquote><p>b</p></blockquote>',
    ],
    [
      'holds inline marks',
      '|*a*|\n|-|\n|[b](c)|',
      '<table><thead><tr><th><em>a</em></th></tr></thead><tbody><tr><td><a href="c">b</a></td></tr></tbody></table>',
    ],
  ])('%s', (_, markdown, html) => {
    expect(flat(markdown)).toBe(html);
  });
});

describe('strikethrough', () => {
  test.each([
    ['one or two tildes', '~a~ ~~b~~', '<p><del>a</del> <del>b</del></p>'],
    ['not three', '~~~a~~~ b', '<pre><code class="language-a~~~"></code></pre>'],
    ['not three in a sentence', 'b ~~~a~~~', '<p>b ~~~a~~~</p>'],
    ['not over paragraphs', '~~a\n\nb~~', '<p>~~a</p><p>b~~</p>'],
    ['within emphasis', '*a ~~b~~*', '<p><em>a <del>b</del></em></p>'],
  ])('%s', (_, markdown, html) => {
    expect(flat(markdown)).toBe(html);
  });
});

describe('bare addresses', () => {
  test.each([
    ['www.', 'see www.example.org/x.', '<p>see <a href="http://www.example.org/x">www.example.org/x</a>.</p>'],
    [
      'https',
      'https://example.org/a?b=c&d=e',
      '<p><a href="https://example.org/a?b=c&amp;d=e">https://example.org/a?b=c&amp;d=e</a></p>',
    ],
    [
      'balanced brackets belong to it',
      '(www.example.org/a_(b))',
      '<p>(<a href="http://www.example.org/a_(b)">www.example.org/a_(b)</a>)</p>',
    ],
    [
      'a reference at its end does not',
      'www.example.org/a&copy;',
      '<p><a href="http://www.example.org/a">www.example.org/a</a>&copy;</p>',
    ],
    ['it ends at <', 'www.example.org/a<b', '<p><a href="http://www.example.org/a">www.example.org/a</a>&lt;b</p>'],
    ['e-mail', 'ask me.too@example.org.', '<p>ask <a href="mailto:me.too@example.org">me.too@example.org</a>.</p>'],
    ['no e-mail that ends in a hyphen or low line', 'a@b.c- a@b.c_', '<p>a@b.c- a@b.c_</p>'],
    ['not in code', '`www.example.org`', '<p><code>www.example.org</code></p>'],
    ['not in a link', '[www.example.org](x)', '<p><a href="x">www.example.org</a></p>'],
  ])('%s', (_, markdown, html) => {
    expect(flat(markdown)).toBe(html);
  });
});

describe('task lists', () => {
  const box = '<input disabled="" type="checkbox">';
  const done = '<input checked="" disabled="" type="checkbox">';
  test.each([
    ['open and done', '- [ ] a\n- [x] b\n- [X] c', `<ul><li>${box} a</li><li>${done} b</li><li>${done} c</li></ul>`],
    ['nested', '- [x] a\n  - [ ] b', `<ul><li>${done} a<ul><li>${box} b</li></ul></li></ul>`],
    ['numbered', '1. [ ] a', `<ol><li>${box} a</li></ol>`],
    ['not in the middle', '- a [ ] b', '<ul><li>a [ ] b</li></ul>'],
    ['not without a space', '- [ ]a', '<ul><li>[ ]a</li></ul>'],
    ['not outside a list', '[ ] a', '<p>[ ] a</p>'],
  ])('%s', (_, markdown, html) => {
    expect(flat(markdown)).toBe(html);
  });
});

describe('tags that would swallow the page', () => {
  test.each([
    [
      'in a sentence they are text',
      'use <style>, <title>, <xmp> and <iframe>\n\n*next*',
      '<p>use &lt;style>, &lt;title>, &lt;xmp> and &lt;iframe></p><p><em>next</em></p>',
    ],
    ['in a block too', '<div>\n<textarea>\n</div>\n\n*next*', '<div>&lt;textarea></div><p><em>next</em></p>'],
    ['plaintext cannot be closed at all', 'a <plaintext> b</plaintext>', '<p>a &lt;plaintext> b</plaintext></p>'],
    ['what is closed is left to the sanitizer', 'a <style>b</style> c', '<p>a <style>b</style> c</p>'],
    [
      'blocks of raw text end where CommonMark ends them',
      '<style>\na\n\nb\n</style>\n\n*c*',
      '<style>a\n\nb</style><p><em>c</em></p>',
    ],
  ])('%s', (_, markdown, html) => {
    expect(flat(markdown)).toBe(html);
  });
});

describe('GitHub counts as CommonMark does', () => {
  test.each([
    ['**“a”**', 'strong'],
    ['_“a”_', 'em'],
    ['~~“a”~~', 'del'],
  ])('an emoji is punctuation beside the marks of %s', (marked, tag) => {
    expect(flat(`b 😀${marked}`)).toBe(`<p>b 😀<${tag}>“a”</${tag}></p>`);
    expect(flat(`b 𠀀${marked}`)).toBe(`<p>b 𠀀${marked}</p>`);
  });

  test('text between raw tags is text', () => {
    expect(flat('<kbd>a < b</kbd> <code>*x*</code>')).toBe('<p><kbd>a &lt; b</kbd> <code><em>x</em></code></p>');
  });
});

describe('addresses', () => {
  test.each([
    [
      'end before the bracket around them',
      '[see https://a.org/b] c',
      '<p>[see <a href="https://a.org/b">https://a.org/b</a>] c</p>',
    ],
    ['and before punctuation there', '[www.a.org.], c', '<p>[<a href="http://www.a.org">www.a.org</a>.], c</p>'],
    [
      'do not begin within a word',
      'xhttp://a.org awww.a.org 1www.a.org xftp://a.org',
      '<p>xhttp://a.org awww.a.org 1www.a.org xftp://a.org</p>',
    ],
    [
      'begin beside words written without spaces, digits and marks',
      '见http://a.org 1http://a.org *b*http://a.org',
      '<p>见<a href="http://a.org">http://a.org</a> 1<a href="http://a.org">http://a.org</a> <em>b</em><a href="http://a.org">http://a.org</a></p>',
    ],
    ['hold brackets of their own', 'https://a.org/b[1] c', '<p><a href="https://a.org/b%5B1%5D">https://a.org/b[1]</a> c</p>'],
  ])('%s', (_, markdown, html) => {
    expect(flat(markdown)).toBe(html);
  });
});
