import { expect, it } from 'vitest';
import { textStart } from './text-start.ts';

it.each([
  ['shorter', 'ab', 3, 'ab'],
  ['as long', 'abc', 3, 'abc'],
  ['longer', 'abcd', 3, 'abc'],
  ['whose last character takes two units and fits', 'a𠮷b', 3, 'a𠮷'],
  ['whose last character takes two units and does not fit', 'ab𠮷', 3, 'ab'],
  ['of such characters', '𠮷𠮷', 3, '𠮷'],
  ['of which nothing is wanted', '𠮷', 0, ''],
])('a text that is %s', (_what, text, most, start) => expect(textStart(text, most)).toBe(start));
