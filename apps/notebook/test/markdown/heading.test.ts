import { describe, expect, test } from 'vitest';
import { findFasterGrowth } from '../../../../tools/growth.ts';
import { firstHeading } from '../../src/markdown/heading.ts';
import { hostileInputs } from './hostile-inputs.ts';

describe('the first heading', () => {
  test.each([
    ['# A title', 'A title'],
    ['text\n\n## Second level ##\n\n# later', 'Second level'],
    ['Underlined\n===', 'Underlined'],
    ['Two\nlines\n---\n', 'Two lines'],
    ['```\n# code\n```\n\n# real', 'real'],
    ['~~~ md\n# code\n```\n# code\n~~~\n# real', 'real'],
    ['```\n``` x\n# code\n```\n# real', 'real'],
    ['words\n```\ncode\n```\n===\n# real', 'real'],
    ['words\n<div>\n\n===\n# real', 'real'],
    ['    code\n===\n# real', 'real'],
    ['    # indented code\n\n# real', 'real'],
    ['# *a* **b** `c` ~~d~~ [e](f) ![g](h) <kbd>i</kbd>', 'a b c d e g i'],
    ['# snake_case and 2 * 3 * 4', 'snake_case and 2 * 3 * 4'],
    ['# a \\* b &amp; c &#x41; &lt;d&gt;', 'a * b & c A <d>'],
    ['# `<b>` and `*x*`', '<b> and *x*'],
    ['# Note[^1]', 'Note'],
    ['# <https://example.org>', 'https://example.org'],
    ['#\n\n# next', 'next'],
    ['#hashtag', ''],
    ['- item\n---', ''],
    ['> quote\n---', ''],
    ['\n---\n', ''],
    ['', ''],
    ['plain', ''],
    ['\ufeff# x', ''],
    ['# 日本語\r\ntext', '日本語'],
    ['<h1 align="center">In the <em>middle</em> &amp; more</h1>\n\n# later', 'In the middle & more'],
    ['<div align="center"><h2>\n  <img src="x">\n  Two lines\n</h2></div>', 'Two lines'],
    ['<h1>never closed\n\n# next', 'next'],
    ['```\n<h1>code</h1>\n```\n', ''],
    ['<h1></h1>\n\n# after an empty one', 'after an empty one'],
    ['# a\0b\u0007c', 'a\uFFFDb c'],
    ['# \u202egnp.\u2066exe &#x202d;', 'gnp.exe'],
    ['---\ntitle: of front matter\n---\n# later', 'title: of front matter'],
    ['***\nAfter a rule\n===', 'After a rule'],
    ['words\n_ _ _\nAfter a rule\n===', 'After a rule'],
    ['---\n---\n# after two rules', 'after two rules'],
    ['<!--\n# hidden\n\n# hidden too\n-->\n# shown', 'shown'],
    ['<!-- one line -->\n# shown', 'shown'],
    ['<pre>\n\n# as it is\n\n</pre>\n# shown', 'shown'],
    ['<script>\n# code\n\n# code\n</script>\n# shown', 'shown'],
    ['<div>\n# part of the HTML\n</div>\n# and this\n\n# shown', 'shown'],
    ['<div>\n\n# shown\n\n</div>', 'shown'],
    ['<div>\n<p>x</p>\n<h2>shown</h2>\n</div>', 'shown'],
    ['<kbd>\n# part of the HTML\n\n# shown', 'shown'],
    ['words\n<kbd>\n# shown', 'shown'],
    ['[place]: https://example.org\n===\n# shown', 'shown'],
    ['``` `x\n# shown', 'shown'],
    ['# Hello<br>world', 'Hello world'],
  ])('%j is %j', (markdown, title) => {
    expect(firstHeading(markdown)).toBe(title);
  });

  test('is found behind a remark in a very long line', () => {
    expect(firstHeading(`<!-- ${'x'.repeat(3_000)} -->\n# shown`)).toBe('shown');
  });

  test('is looked for in the first thousand lines', () => {
    expect(firstHeading(`${'\n'.repeat(999)}# a`)).toBe('a');
    expect(firstHeading(`${'\n'.repeat(1_000)}# a`)).toBe('');
  });

  test('is cut to 200 characters, counted as in a title that is given', () => {
    expect(firstHeading(`# ${'a'.repeat(500)}`)).toHaveLength(200);
    expect(firstHeading(`# ${'👩'.repeat(200)}`)).toBe('👩'.repeat(200));
    expect(firstHeading(`# a${'👩'.repeat(300)}`)).toBe(`a${'👩'.repeat(199)}`);
  });

  test.each(hostileInputs)('is found in proportion to the text, up to 1 MB of %s', (_, make) => {
    expect(findFasterGrowth(firstHeading, make)).toBeUndefined();
    expect(firstHeading(make(1_000_000)).length).toBeLessThanOrEqual(200);
  });
});
