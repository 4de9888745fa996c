import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepBoth } from './keep-both.ts';
import { mergeTexts } from './merge-texts.ts';
import { moveCaret } from './move-caret.ts';

/** Texts made from a few different lines, so that lines repeat and changes overlap. */
const line = fc.constantFrom('', 'a', 'b', 'c', '- one', '- two', 'some words in a line', 'some other words in a line', '```');
const text = fc.array(line, { maxLength: 14 }).map(lines => lines.join('\n'));

describe('what both changed in different places', () => {
  it.each([
    ['lines apart', 'a\nb\nc', 'A\nb\nc', 'a\nb\nC', 'A\nb\nC'],
    ['neighbouring lines', 'a\nb', 'A\nb', 'a\nB', 'A\nB'],
    ['a line added by each, at different places', 'a\nb', '0\na\nb', 'a\nb\nc', '0\na\nb\nc'],
    ['a line added before one that the other changed', 'a\nb', 'mine\na\nb', 'A\nb', 'mine\nA\nb'],
    ['a deletion and an addition', 'a\nb\nc', 'a\nc', 'a\nb\nc\nd', 'a\nc\nd'],
    ['words apart in one line', 'one two three four', 'ONE two three four', 'one two three FOUR', 'ONE two three FOUR'],
    ['letters apart in a script without spaces', '今日は天気がいい', '明日は天気がいい', '今日は天気が悪い', '明日は天気が悪い'],
    ['the same change by both', 'a\nb', 'a\nX', 'a\nX', 'a\nX'],
    ['the same change and another', 'a\nb\nc', 'X\nb\nc', 'X\nb\nC', 'X\nb\nC'],
    ['a last line without its end', 'a', 'a\nmine', 'theirs\na', 'theirs\na\nmine'],
    ['nothing there before, one side', '', 'mine', '', 'mine'],
  ])('%s', (_name, base, mine, theirs, merged) => {
    expect(mergeTexts(base, mine, theirs)).toBe(merged);
    expect(mergeTexts(base, theirs, mine)).toBe(merged);
  });
});

describe('what both changed in the same place', () => {
  it.each([
    ['the same line', 'a', 'b', 'c'],
    ['the same word', 'one two three', 'one 2 three', 'one zwei three'],
    ['words side by side', 'one two three', 'ONE two three', 'one TWO three'],
    ['both added at the end', 'a', 'a\nmine', 'a\ntheirs'],
    ['one deleted what the other changed', 'a\nb\nc', 'a\nc', 'a\nB\nc'],
    ['both wrote into an empty page', '', 'mine', 'theirs'],
  ])('%s is left to the writer, and both can be kept', (_name, base, mine, theirs) => {
    expect(mergeTexts(base, mine, theirs)).toBeUndefined();
    expect(mergeTexts(base, theirs, mine)).toBeUndefined();
    const both = keepBoth(base, mine, theirs);
    for (const side of [mine, theirs]) for (const kept of side.split('\n')) expect(both.split('\n')).toContain(kept);
    expect(both).not.toMatch(/^[<=>|]{4,}/m);
  });

  it('reads as two versions, one below the other', () => {
    expect(keepBoth('a\nb\nc', 'a\nmine\nc', 'a\ntheirs\nc')).toBe(
      'a\n\n**Two versions of this part. Yours:**\n\nmine\n\n**The other:**\n\ntheirs\n\n**End of the two versions.**\n\nc',
    );
  });

  it('without a known base: what both have stands once', () => {
    const both = keepBoth(undefined, 'same\nmine\nend', 'same\ntheirs\nend');
    expect(both.match(/same/g)).toHaveLength(1);
    expect(both).toMatch(/mine[\s\S]*theirs[\s\S]*end/);
  });
});

describe('whatever the texts are', () => {
  it('one side that changed nothing leaves the other as it is', () => {
    fc.assert(
      fc.property(text, text, (base, side) => {
        expect(mergeTexts(base, side, base)).toBe(side);
        expect(mergeTexts(base, base, side)).toBe(side);
        expect(mergeTexts(base, side, side)).toBe(side);
      }),
    );
  });

  it('the order of the sides makes no difference', () => {
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        expect(mergeTexts(base, mine, theirs)).toBe(mergeTexts(base, theirs, mine));
      }),
    );
  });

  it('edits in different places are both in, and no line is lost that neither deleted', () => {
    const edit = fc.record({ place: fc.nat(), kind: fc.constantFrom('insert', 'replace', 'delete') });
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 40 }), edit, edit, (count, one, other) => {
        // Every line is unique, so that a lost one shows.
        const base = Array.from({ length: count }, (_, at) => `line ${at}`);
        const half = Math.floor(count / 2);
        const first = one.place % (half - 1);
        const second = half + 1 + (other.place % (count - half - 1));
        const mine = [...base];
        const theirs = [...base];
        mine.splice(first, one.kind === 'insert' ? 0 : 1, ...(one.kind === 'delete' ? [] : ['mine']));
        theirs.splice(second, other.kind === 'insert' ? 0 : 1, ...(other.kind === 'delete' ? [] : ['theirs']));
        const merged = mergeTexts(base.join('\n'), mine.join('\n'), theirs.join('\n'))!.split('\n');
        if (one.kind !== 'delete') expect(merged[first]).toBe('mine');
        if (other.kind !== 'delete') expect(merged).toContain('theirs');
        for (const kept of base) expect(merged.includes(kept)).toBe(mine.includes(kept) && theirs.includes(kept));
      }),
    );
  });

  it('a merge has every line of both that is new, and every old one that both kept', () => {
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        const merged = mergeTexts(base, mine, theirs);
        if (merged === undefined) return;
        // Compares words, because two changes in one line are merged word by word.
        const words = (of: string) => new Set(of.match(/\S+/g) ?? []);
        const [before, after] = [words(base), words(merged)];
        for (const side of [mine, theirs]) for (const each of words(side)) if (!before.has(each)) expect(after).toContain(each);
        for (const each of before)
          if (words(mine).has(each) && words(theirs).has(each) && count(base, each) === 1) expect(after).toContain(each);
      }),
      { numRuns: 500 },
    );
  });

  it('keep both has every line of each side', () => {
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        if (mergeTexts(base, mine, theirs) !== undefined) return;
        const both = keepBoth(base, mine, theirs);
        const old = new Set(base.split(/\s+/));
        for (const side of [mine, theirs]) for (const each of side.split(/\s+/)) if (!old.has(each)) expect(both).toContain(each);
      }),
      { numRuns: 500 },
    );
  });

  it('the caret stays beside the same letters when others change other lines', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('x', 'y'), { maxLength: 5 }),
        fc.array(fc.constantFrom('x', 'y'), { maxLength: 5 }),
        (above, below) => {
          const before = `head\nwhere I write\ntail`;
          const after = ['head', ...above, 'where I write', ...below, 'tail'].join('\n');
          const caret = before.indexOf('write');
          expect(after.slice(moveCaret(before, after, caret))).toMatch(/^write/);
        },
      ),
    );
  });
});

const count = (of: string, word: string) => of.split(/\s+/).filter(each => each === word).length;

it('a megabyte with nothing in common is given up in time, not computed for ever', () => {
  const lines = (factor: number) => Array.from({ length: 40_000 }, (_, at) => `line ${(at * factor) % 39_989}`).join('\n');
  const [base, mine, theirs] = [lines(7), lines(11), lines(13)];
  expect(mergeTexts(base, mine, theirs)).toBeUndefined();
  expect(keepBoth(base, mine, theirs).length).toBeGreaterThan(mine.length);
});
