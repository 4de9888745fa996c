import { expect, it } from 'vitest';
import { firstLine } from './first-line.ts';

it.each([
  ['', undefined],
  ['\n \n- \n', undefined],
  ['A line\nand another', 'A line'],
  ['> - quoted', 'quoted'],
  ['before ![my picture](https://images.example/a/b.png) after', 'before my picture after'],
  ['![](https://images.example/a/b.png)\n\nThe words', 'The words'],
  ['See [the plan](https://example.org/plan) and [x]', 'See the plan and [x]'],
  ['# Page 3\n\nWords', 'Page 3'],
  ['> ## Quoted', 'Quoted'],
  ['#tag', '#tag'],
  ['invoice\u202efdp.exe', 'invoicefdp.exe'],
  ['\u2066\n\u202a\nsecond', 'second'],
  ['x'.repeat(100), `${'x'.repeat(79)}…`],
])('%j is called %j', (markdown, name) => expect(firstLine(markdown)).toBe(name));
