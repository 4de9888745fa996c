import { expect, it } from 'vitest';
import { opensWith, pageName } from './page-name.ts';

it.each([
  ['Picnic', 'Bring bread', 'Picnic'],
  ['Page 2', '- Bring bread\n- and salt', 'Bring bread'],
  ['', 'Bring bread', 'Bring bread'],
  ['Page 12', '\n---\n', 'Untitled page'],
  ['Page 2', '', 'Untitled page'],
  ['', '**Agenda** for `tomorrow`, 2**8', 'Agenda for tomorrow, 2**8'],
  ['', '```js\nlet a = 1;\n```', 'let a = 1;'],
  ['', '~~~\nlog\n~~~', 'log'],
  ['', '- [ ] Buy tickets', 'Buy tickets'],
  ['', '[x] Done', '[x] Done'],
  ['', '| Day | Food |\n|---|---|', 'Day | Food'],
  ['', '<!-- a note -->\n<p align="center">\n<b>Hello</b> you', 'Hello you'],
  ['', '<https://example.org> and vector<int> if a < b', '<https://example.org> and vector<int> if a < b'],
  ['Page two', '', 'Page two'],
])('a page titled %j with the text %j is called %j', (title, text, name) => expect(pageName({ title, text })).toBe(name));

it.each([
  ['Bring bread', 'Bring bread\n\nand salt', true],
  ['Bring bread', '- **Bring** bread', true],
  ['- **Bring** bread', '```\n- **Bring** bread\n```', true],
  ['Bring bread', '\n\n\u202eBring  bread', true],
  [`${'x'.repeat(79)}…`, 'x'.repeat(90), true],
  ['Bring', 'Bring bread', false],
  ['Bring bread and', 'Bring bread', false],
  ['and salt', 'Bring bread\n\nand salt', false],
  ['…', '', false],
])('the title %j stands at the start of %j: %s', (title, text, opens) => expect(opensWith(text, title)).toBe(opens));
