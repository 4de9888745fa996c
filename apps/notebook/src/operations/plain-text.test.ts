import { expect, it } from 'vitest';
import { plainText } from './plain-text.ts';

it.each([
  ['headings and rules', '# One\n\nTwo\n===\n\n---\n\n####### seven', 'One Two ####### seven'],
  ['lists, tasks and quotes', '- a\n* b\n+ c\n1. d\n2) e\n- [ ] f\n- [x] g\n> h\n>> i', 'a b c d e f g h i'],
  ['numbers that begin no list', '1234567890. a 1.5', '1234567890. a 1.5'],
  ['fences, not what is inside', '```js\nlet x\n```\n~~~\ny\n~~~', 'let x y'],
  ['tables', '| a | b |\n| - | :-: |\n| c | d |', 'a b c d'],
  ['links and pictures', '[a](https://x.example) ![b](y.png) [c][ref] [![d](z.png)](https://w.example)', 'a b c d'],
  ['the width of a picture', '![a|300](b.png) ![c|300x200](d.png) ![e|1](f.png)', 'a c e 1'],
  ['HTML, not what only looks like it', 'a<br>b <!-- no --> List<Foo> <b class="x">c</b>', 'a b List<Foo> c'],
  [
    'scripts and style sheets',
    'a <script>alert(1)</script> <STYLE type="x">* {}</style > b <styled>c</styled>',
    'a b <styled>c</styled>',
  ],
  ['marks of emphasis', '**a** __b__ ~~c~~ `d` *e* _f_ ==g==', 'a b c d e f g'],
  ['marks that are none', 'snake_case 2 * 3 a == b', 'snake_case 2 * 3 a == b'],
  ['escapes', '\\*a\\* \\_b\\_ \\[c\\] \\\\', '*a* _b_ [c] \\'],
  ['entities', '&lt;b&gt;&nbsp;&quot;&amp;lt;', '<b> "&lt;'],
  ['emoji', ':rocket: go', '🚀 go'],
  ['white space', '  a \n\n\t b ', 'a b'],
])('leaves out %s', (_, markdown, text) => expect(plainText(markdown)).toBe(text));
