/** Enter in lists and quotes, `[before, after]`. */
export const enterCases: readonly (readonly [string, string])[] = [
  ['- a|', '- a\n- |'],
  ['* a|b', '* a\n* |b'],
  ['+ a| b', '+ a\n+ |b'],
  ['  - a|', '  - a\n  - |'],
  ['1. a|', '1. a\n2. |'],
  ['9) a|', '9) a\n10) |'],
  ['1. a|\n2. b\n3. c\n\nd', '1. a\n2. |\n3. b\n4. c\n\nd'],
  ['1. a|\n   - x\n2. b', '1. a\n2. |\n   - x\n3. b'],
  ['1. a|\n1. b', '1. a\n2. |\n1. b'],
  ['- [x] a|', '- [x] a\n- [ ] |'],
  ['1. [x] a|', '1. [x] a\n2. [ ] |'],
  ['- [ ] a{b}c', '- [ ] a\n- [ ] |c'],
  ['> a|', '> a\n> |'],
  ['> > a|', '> > a\n> > |'],
  ['> - a|', '> - a\n> - |'],
  ['- a\n- |', '- a\n|'],
  ['1. a\n2. |\n', '1. a\n|\n'],
  ['- [ ] |', '|'],
  ['> a\n> |', '> a\n|'],
  ['> > |', '> |'],
  ['> - |', '> |'],
  ['- a\n  - |', '- a\n|'],
];

/** Here Enter is what it always was. */
export const plainEnterCases: readonly string[] = [
  'a|',
  '|- a',
  '-| a',
  '-|',
  '1.|',
  '* * *|',
  '---|',
  '```\n- a|\n```',
  '- a\n  ```\n  - b|\n  ```',
  '2024-01-01|',
];
