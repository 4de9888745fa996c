import { describe, expect, it } from 'vitest';
import { findFasterGrowth } from '../../../../tools/growth.ts';
import { markHits } from '../model/hits.ts';
import { readSearchWords } from '../model/search-text.ts';
import { plainText } from './plain-text.ts';
import { makeSnippet } from './snippet.ts';

const words = (query: string) => readSearchWords(query);
/** Hits in brackets. */
const show = (segments: readonly { text: string; hit: boolean }[]) =>
  segments.map(({ text, hit }) => (hit ? `[${text}]` : text)).join('');

/** Up to the longest text of a page that is searched. */
const pageSizes = [1_024, 4_096, 16_384, 65_536];

describe('hits are marked in the text as it was written', () => {
  it.each([
    ['Café crème', 'cafe', '[Café] crème'],
    ['Cafe\u0301 cre\u0300me', 'creme', 'Cafe\u0301 [cre\u0300me]'],
    ['cafe', 'café', '[cafe]'],
    ['ΟΔΟΣ', 'οδος', '[ΟΔΟΣ]'],
    ['İstanbul', 'istanbul', '[İstanbul]'],
    ['ｶﾞｲﾄﾞ ＡＢＣ', 'ガイド abc', '[ｶﾞｲﾄﾞ] [ＡＢＣ]'],
    ['ﬁne', 'fin', '[ﬁn]e'],
    ['ﬃx', 'fix', '[ﬃx]'],
    ['한국어', '국', '한[국]어'],
    ['\u1112\u1161\u11ab\u1100\u116e\u11a8', '국', '\u1112\u1161\u11ab[\u1100\u116e\u11a8]'],
    ['👩‍👩‍👧 family 👍🏽', 'family', '👩‍👩‍👧 [family] 👍🏽'],
    ['𠮷野家', '野', '𠮷[野]家'],
    ['is this Is island', 'is', '[is] this [Is] island'],
    ['banana bandana', 'ana ban', '[banana] [ban]d[ana]'],
    ['nothing here', 'absent', 'nothing here'],
    ['', 'x', ''],
  ])('%s asked for %s', (text, query, shown) => {
    expect(show(markHits(text, words(query)))).toBe(shown);
  });
});

describe('a snippet', () => {
  const filler = (count: number, word = 'lorem') => Array.from({ length: count }, () => word).join(' ');

  it('shows the start of a text without a hit', () => {
    const snippet = show(makeSnippet(filler(100), words('absent')));
    expect(snippet).toMatch(/^lorem .* lorem…$/);
    expect(snippet.length).toBeLessThanOrEqual(221);
  });

  it('shows the place where the words stand, cut between words', () => {
    const snippet = show(makeSnippet(`${filler(500)} the Needle here ${filler(500)}`, words('needle')));
    expect(snippet).toMatch(/^…lorem (?:lorem )*the \[Needle\] here lorem .*lorem…$/);
    expect(snippet.length).toBeLessThanOrEqual(230);
  });

  it('prefers the place where most of the words meet', () => {
    const text = `alpha ${filler(60)} beta ${filler(60)} alpha beta gamma ${filler(60)}`;
    expect(show(makeSnippet(text, words('alpha beta gamma')))).toContain('[alpha] [beta] [gamma]');
  });

  it('finds a hit far into a text that folding shortens and lengthens', () => {
    for (const letter of ['e\u0301', 'ﬃ', '㌀', 'ｶﾞ']) {
      const snippet = show(makeSnippet(`${filler(9_000, letter)} Needle ${filler(9_000, letter)}`, words('needle')));
      expect(snippet, letter).toContain('[Needle]');
    }
  });

  it('never cuts a character in two', () => {
    for (let before = 0; before < 8; before++) {
      const text = `${'x'.repeat(before)}${'𠮷'.repeat(400)}needle${'𠮷'.repeat(400)}`;
      for (const { text: piece } of makeSnippet(text, words('needle'))) expect(piece.isWellFormed()).toBe(true);
    }
  });

  it('takes no more than in proportion to the page', () => {
    const page = (chars: number) => plainText('É word, and '.repeat(chars / 12));
    expect(findFasterGrowth(text => makeSnippet(text, words('absent é wor')), page)).toBeUndefined();
  });
});

describe('plain text', () => {
  it.each([
    ['# Title #\n\ntext', 'Title # text'],
    ['- [ ] task\n- [x] done\n1. one', 'task done one'],
    ['> quoted *words* and **bold** ~~gone~~ `code`', 'quoted words and bold gone code'],
    ['[link](https://a.example "t") ![picture](b.png) [![both](c.png)](d)', 'link picture both'],
    ['[text][ref]', 'text'],
    ['| a | b |\n|---|:-:|\n| 1 | 2 |', 'a b 1 2'],
    ['```js\nlet a_b = c * d;\n```\nafter', 'let a_b = c * d; after'],
    ['<details><summary>More</summary>text</details> 1 < 2', 'More text 1 < 2'],
    ['<!-- note -->shown', 'shown'],
    ['snake_case and _emphasis_ 2 * 3', 'snake_case and emphasis 2 * 3'],
    ['\\*not\\* &amp; &lt;b&gt; <https://x.example>', '*not* & <b> <https://x.example>'],
    ['---\n\nSetext\n======', 'Setext'],
  ])('%j', (markdown, plain) => {
    expect(plainText(markdown)).toBe(plain);
  });

  it.each([
    '[',
    '![',
    '](',
    '[a](',
    '<',
    '<a ',
    '<!--',
    '*',
    '_',
    '`',
    '|',
    '- ',
    '> ',
    '\\',
    '~',
    '   ',
    '\n',
    ' |-',
    '[a][',
    '&lt',
  ])('takes no more than in proportion to a page of %j', piece => {
    const page = (chars: number) => piece.repeat(Math.ceil(chars / piece.length));
    expect(findFasterGrowth(plainText, page, pageSizes)).toBeUndefined();
    expect(findFasterGrowth(plainText, chars => `${page(chars)}x`, pageSizes)).toBeUndefined();
  });
});
