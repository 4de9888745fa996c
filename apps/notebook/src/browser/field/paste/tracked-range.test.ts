import { describe, expect, it } from 'vitest';
import { TrackedRange } from './tracked-range.ts';

/** `{}` marks the range, as in the tests of the writing field. */
function hold(marked: string): TrackedRange {
  const start = marked.indexOf('{');
  return new TrackedRange({ text: marked.replace(/[{]/, '').replace(/[}]/, ''), start, end: marked.indexOf('}') - 1 });
}

function marked({ now: { text, start, end } }: TrackedRange): string {
  return `${text.slice(0, start)}{${text.slice(start, end)}}${text.slice(end)}`;
}

describe('a place that is held', () => {
  it.each([
    ['a{}b', 'aXb', 'a{}Xb'],
    ['a{}b', 'Xab', 'Xa{}b'],
    ['a{}b', 'abX', 'a{}bX'],
    ['a{}b', 'b', '{}b'],
    ['a{bc}d', 'aXd', 'a{}Xd'],
    ['a{bc}d', 'aXbcd', 'aX{bc}d'],
    ['a{bc}d', 'abXcd', 'a{}bXcd'],
    ['a{bc}d', 'abcXd', 'a{bc}Xd'],
    ['a{bc}d', 'acd', 'a{}cd'],
    ['ab{cd}', 'Xd', '{}Xd'],
    ['a{bc}d', 'Yabcd', 'Ya{bc}d'],
    ['a{bc}d', '', '{}'],
    ['😀{}', '😁', '😁{}'],
  ])('%j, then %j: %j', (before, text, after) => {
    const place = hold(before);
    place.follow(text);
    expect(marked(place)).toBe(after);
  });

  it('inside of what changed it goes where a caret would', () => {
    const place = hold('one {}two');
    place.follow('1 ONE 2 TWO 3', () => 6);
    expect(marked(place)).toBe('1 ONE {}2 TWO 3');
  });

  it.each([
    ['a{}b', { from: 1, to: 1, insert: 'XY' }, 'aXY{}b'],
    ['a{bc}d', { from: 1, to: 3, insert: 'XY' }, 'aXY{}d'],
    ['a{}bc', { from: 2, to: 3, insert: 'X' }, 'a{}bX'],
  ])('%j stands behind what was pasted before: %j', (before, edit, after) => {
    const place = hold(before);
    place.moveBehind({ ...edit, start: 0, end: 0 });
    expect(marked(place)).toBe(after);
  });
});
