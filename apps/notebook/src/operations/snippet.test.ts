import { describe, expect, it } from 'vitest';
import { findFasterGrowth } from '../../../../tools/growth.ts';
import { markHits } from '../model/hits.ts';
import { readSearchWords } from '../model/search-text.ts';
import { plainText } from './plain-text.ts';
import { hasHit, makeSnippet } from './snippet.ts';

const words = (query: string) => readSearchWords(query);
/** Puts hits in brackets. */
const show = (segments: readonly { text: string; hit: boolean }[]) =>
  segments.map(({ text, hit }) => (hit ? `[${text}]` : text)).join('');

/** Sizes up to the longest text of a page that is searched. */
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

describe('where a snippet is cut', () => {
  const x = (count: number) => 'x'.repeat(count);
  const snippet = (text: string, query = 'needle') => show(makeSnippet(text, words(query)));
  /** A text of `x` with these words at these positions. */
  const textOf = (length: number, parts: Record<number, string>) => {
    let text = '';
    for (const [at, part] of Object.entries(parts)) text += x(Number(at) - text.length) + part;
    return text + x(length - text.length);
  };

  it('a short text is shown whole, in as few pieces as it has hits', () => {
    expect(makeSnippet('a needle', words('needle'))).toEqual([
      { text: 'a ', hit: false },
      { text: 'needle', hit: true },
    ]);
    expect(snippet(x(220))).toBe(x(220));
    expect(makeSnippet(x(221), words('needle'))).toEqual([{ text: `${x(220)}…`, hit: false }]);
  });

  it('it begins 60 characters before its hit, and holds 220', () => {
    expect(snippet(textOf(500, { 100: 'needle' }))).toBe(`…${x(60)}[needle]${x(154)}…`);
    expect(snippet(textOf(500, { 61: 'needle' }))).toBe(`…${x(60)}[needle]${x(154)}…`);
    expect(snippet(textOf(500, { 60: 'needle' }))).toBe(`${x(60)}[needle]${x(154)}…`);
    expect(snippet(textOf(500, { 0: 'needle' }))).toBe(`[needle]${x(214)}…`);
    expect(snippet(textOf(260, { 100: 'needle' }))).toBe(`…${x(60)}[needle]${x(154)}`);
  });

  it('it begins at a word that begins up to 20 characters later', () => {
    expect(snippet(textOf(500, { 60: ' ', 100: 'needle' }))).toBe(`…${x(39)}[needle]${x(175)}…`);
    expect(snippet(textOf(500, { 61: ' ', 100: 'needle' }))).toBe(`…${x(21)} ${x(38)}[needle]${x(154)}…`);
    expect(snippet(textOf(500, { 40: ' ', 100: 'needle' }))).toBe(`…${x(59)}[needle]${x(155)}…`);
  });

  it('it ends at a word that ends up to 20 characters earlier', () => {
    expect(snippet(textOf(500, { 0: 'needle', 200: ' ' }))).toBe(`[needle]${x(194)}…`);
    expect(snippet(textOf(500, { 0: 'needle', 199: ' ' }))).toBe(`[needle]${x(193)} ${x(20)}…`);
    expect(snippet(textOf(500, { 0: 'needle', 220: ' ' }))).toBe(`[needle]${x(214)}…`);
    expect(snippet(textOf(500, { 0: 'needle', 221: ' ' }))).toBe(`[needle]${x(214)}…`);
  });

  it.each(['\u{10000}', '\u{103ff}', '\u{1f600}'])('a pair of surrogates stays whole at both ends: %s', pair => {
    expect(snippet(textOf(500, { 39: pair, 100: 'needle' }))).toBe(`…${pair}${x(59)}[needle]${x(153)}…`);
    expect(snippet(textOf(500, { 0: 'needle', 219: pair }))).toBe(`[needle]${x(213)}…`);
    expect(snippet(textOf(500, { 40: '\ue000', 100: 'needle' }))).toBe(`…\ue000${x(59)}[needle]${x(154)}…`);
  });

  it('it shows the hits that are 160 characters apart together, and the first where none meet', () => {
    const away = (apart: number) => textOf(2_000, { 100: 'needle', 1000: 'needle', [1_000 + apart - 6]: 'needle' });
    expect(snippet(away(160))).toBe(`…${x(60)}[needle]${x(148)}[needle]…`);
    expect(snippet(away(161))).toBe(`…${x(60)}[needle]${x(154)}…`);
    expect(snippet(textOf(2_000, { 100: 'needle', 500: 'thread', 900: 'needle' }), 'needle thread')).toContain('[needle]');
    const three = textOf(2_000, { 100: 'needle', 180: 'needle', 900: 'thread', 950: 'thread', 1000: 'thread' });
    expect(snippet(three, 'needle thread')).toBe(`…${x(60)}[thread]${x(44)}[thread]${x(44)}[thread]${x(54)}…`);
  });

  it('of a long text it shows the longest word that stands in it', () => {
    const text = textOf(30_000, { 1000: 'haystack', 20000: 'pin' });
    for (const query of ['pin haystack', 'haystack pin']) expect(snippet(text, query)).toContain('[haystack]');
    expect(snippet(text, 'pin something')).toContain('[pin]');
    expect(snippet(textOf(30_000, { 0: 'haystack', 20000: 'pin' }), 'pin haystack')).toMatch(/^\[haystack\]/);
  });

  it('of a long text it says that it is cut where only the part is', () => {
    const query = 'haystack beta gam';
    const near = { 8010: 'betaxgam', 10000: 'haystack' };
    expect(snippet(textOf(20_000, near), query)).toBe(`…${x(10)}[beta]x[gam]${x(202)}…`);
    const far = { 10000: 'haystack', 11900: 'betaxgam' };
    expect(snippet(textOf(20_000, far), query)).toBe(`…${x(60)}[beta]x[gam]${x(92)}…`);
    expect(snippet(textOf(12_000, far), query)).toBe(`…${x(60)}[beta]x[gam]${x(92)}`);
    expect(snippet(textOf(20_000, { 10: 'betaxgam', 1000: 'haystack' }), query)).toBe(`${x(10)}[beta]x[gam]${x(202)}…`);
  });

  it('it has a hit where one piece is one', () => {
    expect(hasHit(makeSnippet('a needle here', words('needle')))).toBe(true);
    expect(hasHit(makeSnippet('nothing here', words('needle')))).toBe(false);
    expect(hasHit([])).toBe(false);
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
