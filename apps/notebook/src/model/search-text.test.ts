import { describe, expect, it } from 'vitest';
import { foldForSearch, holdsWord, readSearchWords } from './search-text.ts';

const chars = 20_000;
/** How much 256 of the longest forms may add. */
const allowance = 256 * 18;

it('is at most four times as long as its text, whatever character that repeats', () => {
  const tooLong: string[] = [];
  for (let code = 0x80; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const one = String.fromCodePoint(code);
    // Only the few characters that become longer are repeated.
    if (one.normalize('NFKC').length <= one.length && one.toLowerCase().length <= one.length) continue;
    const text = one.repeat(chars / one.length);
    if (foldForSearch(text).length > 4 * text.length + allowance) tooLong.push(code.toString(16));
  }
  expect(tooLong).toEqual([]);
});

it('finds words in their long forms where a text has them as people write', () => {
  expect(foldForSearch('a ﷺ b')).toBe(foldForSearch('a صلى الله عليه وسلم b'));
  expect(foldForSearch('㌔'.repeat(256))).toBe('キロ'.repeat(256));
  expect(foldForSearch('ﷺ'.repeat(300))).toBe(foldForSearch('ﷺ'.repeat(256) + '〓'.repeat(44)));
});

describe('text is compared', () => {
  it.each([
    ['without accents', 'Ärger CAFÉ', 'arger cafe'],
    ['with the marks of other scripts', 'が กี่', 'が กี่'],
    ['in compatible forms', 'ｆｕｌｌ ﬁ', 'full fi'],
    ['with one sigma', 'ΛΟΓΟΣ λόγος', 'λογοσ λογοσ'],
    ['with one alef', 'أحمد إسلام آية أَحمد', 'احمد اسلام ايه احمد'],
    ['with one heh and one yeh', 'مدرسة هدى', 'مدرسه هدي'],
    ['without Arabic vowel signs and lengthened lines', 'مُدَرِّس مـــحمد', 'مدرس محمد'],
    ['with the hamza that stands on other letters', 'مسئول مؤمن', 'مسئول مؤمن'],
    ['with a mark on a lengthened line left out', 'ا\u0640\u0654ب', 'اب'],
    ['with single spaces', 'a \n\t b', 'a b'],
    ['with Hangul composed', '\u1112\u1161\u11ab', '한'],
  ])('%s', (_, text, folded) => expect(foldForSearch(text)).toBe(folded));

  it('cuts runs of more than 30 marks at 30', () => {
    const tone = '\u0591';
    expect(foldForSearch(`a${tone.repeat(30)}b`)).toBe(`a${tone.repeat(30)}b`);
    expect(foldForSearch(`a${tone.repeat(31)}b`)).toBe(`a${tone.repeat(30)}b`);
    // Marks outside the Basic Multilingual Plane are two units each.
    const high = '\u{1e8d0}';
    expect(foldForSearch(`a${high.repeat(40)}b`)).toBe(`a${high.repeat(30)}b`);
  });
});

describe('a query asks for', () => {
  const found = (text: string) => ({ text, whole: false });
  const whole = (text: string) => ({ text, whole: true });
  it.each([
    ['nothing', '', []],
    ['nothing in spaces', ' \t ', []],
    ['nothing in signs', '"!?', []],
    ['each word once', 'Plan plan PLAN b', [found('plan'), whole('b')]],
    ['words without what wraps them', "(“plan”, »word«; 'x')", [found('plan'), found('word'), whole('x')]],
    ['signs within a word', 'a,b', [found('a,b')]],
    ['one or two letters as whole words', 'to x', [whole('to'), whole('x')]],
    ['three anywhere', 'for', [found('for')]],
    ['two letters of the second plane', '𝒳𝒴', [whole('xy')]],
    ['short words with a sign between', 'a-', [whole('a')]],
    ['one sign of a script without spaces', '字', [found('字')]],
    ['two of them', '漢字', [found('漢字')]],
    ['one of them beside a letter', 'a字', [whole('a字')]],
  ] as const)('%s', (_, query, words) => expect(readSearchWords(query)).toEqual(words));

  it('a word that a text holds', () => {
    expect(holdsWord('a plan', found('lan'))).toBe(true);
    expect(holdsWord('a plan', found('x'))).toBe(false);
    expect([holdsWord('a plan', whole('a')), holdsWord('plan', whole('a')), holdsWord('!', whole('a'))]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
