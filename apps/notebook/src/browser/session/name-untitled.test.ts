import { describe, expect, it } from 'vitest';
import { untitledNotebook } from '../../model/title.ts';
import { nameFromText, untitled } from './name-untitled.ts';

describe('the name of a notebook that has none', () => {
  it('is asked for where the server says that there is none', () => expect(untitled).toBe(untitledNotebook));

  it.each([
    ['Page 1', 'Bring bread', undefined],
    ['Page 1', 'Bring bread\n', 'Bring bread'],
    ['Page 1', '\n\n- Bring bread  \r\nand salt', 'Bring bread'],
    ['Picnic', '# Picnic', undefined],
    ['Picnic', '# Picnic\n\nBring bread.', 'Picnic'],
    ['Picnic', 'Before it\n\n# Picnic', 'Picnic'],
    ['Page 1', '', undefined],
    ['Page 1', '---\n', undefined],
    ['Page 1', `${'x'.repeat(100)}\n`, `${'x'.repeat(79)}…`],
  ])('of a page called %s with %j is %j', (title, markdown, name) => expect(nameFromText({ title, markdown })).toBe(name));
});
