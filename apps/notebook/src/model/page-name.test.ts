import { expect, it } from 'vitest';
import { pageName } from './page-name.ts';

it.each([
  ['Picnic', 'Bring bread', 'Picnic'],
  ['Page 2', '- Bring bread\n- and salt', 'Bring bread'],
  ['', 'Bring bread', 'Bring bread'],
  ['Page 12', '\n---\n', 'Untitled page'],
  ['Page 2', '', 'Untitled page'],
  ['Page two', '', 'Page two'],
])('a page titled %j with the text %j is called %j', (title, text, name) => expect(pageName({ title, text })).toBe(name));
