// Too slow for the quick tests: thousands of edits, each compared with a whole rendering.
import { expect, it } from 'vitest';
import { LiveDocument } from '../../../src/markdown/live/live-document.ts';
import { splicesBetween } from '../../../src/markdown/live/splices.ts';
import { renderMarkdown } from '../../../src/markdown/render.ts';
import { chanceFrom, editsOf } from './edits.ts';
import { expectSameAfterEdits } from './expect-same.ts';
import { lively, written } from './texts.ts';

// The server's result is the law: whatever is typed where, the parts joined are what a full rendering makes.
it.each([1, 2, 3, 4])('edits of a page as people write them, seed %i', seed => {
  expectSameAfterEdits(written, seed, 25);
});
it.each(Array.from({ length: 12 }, (_, at) => 100 + at))('edits of a text full of what reaches far, seed %i', seed => {
  expectSameAfterEdits(lively, seed, 40);
});

const long = Array.from({ length: 400 }, (_, at) => `## Part ${at}\n\nSome *words* of part ${at}.\n\n- one\n- two\n`).join('\n');

it('a key on a long page makes one block anew', () => {
  const live = new LiveDocument();
  expect(live.render(long).made).toBeGreaterThan(1_000);
  expect(live.render(long.replace('of part 200', 'of the part 200')).made).toBe(1);
});

it('a new line moves the lines of what follows, and makes nothing anew there', () => {
  const live = new LiveDocument();
  const before = live.render(long).parts;
  const { parts, made } = live.render(`first\n\n${long}`);
  expect(made).toBeLessThanOrEqual(2);
  expect(parts.at(-1)!.line).toBe(before.at(-1)!.line + 2);
});

it('lines of the parts, with the marks inside, are those of a full rendering', () => {
  for (const text of editsOf(written, chanceFrom(7), 15)) {
    const { parts } = new LiveDocument().render(text);
    const live = parts.flatMap(({ html, line }) => linesIn(html.split('<section data-footnotes')[0]!).map(own => own + line - 1));
    const whole = linesIn(renderMarkdown(text, { sourceLines: true }).html.split('<section data-footnotes')[0]!);
    expect(live).toEqual(whole);
  }
});

const linesIn = (html: string): number[] => [...html.matchAll(/ data-line="(\d+)"/g)].map(found => Number(found[1]));

it('splices lead from one list of parts to the other', () => {
  const chance = chanceFrom(3);
  for (let round = 0; round < 300; round += 1) {
    const list = () => Array.from({ length: chance(12) }, () => 'abcd'[chance(4)]!);
    const [before, now] = [list(), list()];
    const shown = [...before];
    for (const { at, remove, insert } of splicesBetween(before, now)) shown.splice(at, remove, ...insert);
    expect(shown).toEqual(now);
  }
});
