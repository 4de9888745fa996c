import { describe, expect, it } from 'vitest';
import { foldedText, gramsArray, textAndGrams } from './indexed-text.ts';
import { maxSearchedChars } from './search-index.ts';

const page = (text: string, over = {}) => ({ title: '', givenTitle: '', text, updatedAt: 0, ...over });

describe('what the index holds of a page', () => {
  it('is its titles and its text, folded', () => {
    expect(foldedText(page('Épinards', { title: 'My Garden', givenTitle: 'Page ONE' }))).toBe('my garden page one epinards');
  });

  it('ends after so many characters, and never in the middle of one', () => {
    const text = 'x'.repeat(maxSearchedChars);
    // The title and the given title each end with a line feed.
    expect(foldedText(page(`${text}y`)).length).toBe(maxSearchedChars - 1);
    const cut = foldedText(page(`${'x'.repeat(maxSearchedChars - 3)}\u{20000}`));
    expect([cut.isWellFormed(), cut.at(-1)]).toEqual([true, '\ufffd']);
  });

  it('is on SQLite the text, and short words, characters and pairs beside it', () => {
    const { text, grams } = textAndGrams(page('go and eat 白菜'));
    expect(text.trim()).toBe('go and eat 白菜');
    expect(grams.split(' ').sort()).toEqual(['go', '白', '白菜', '菜'].sort());
  });

  it('is on PostgreSQL an array of all of them, each once, with nothing in it that ends it', () => {
    expect(gramsArray(page('kale kale go'))).toBe('{"kal","ale","go"}');
    expect(gramsArray(page('a"b c\\d'))).toBe('{"a\\"b","c\\\\d","a","b","c","d"}');
    expect(gramsArray(page(''))).toBe('{}');
  });
});
