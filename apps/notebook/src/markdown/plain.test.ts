import { expect, it } from 'vitest';
import { plainPieces, renderPlain } from './plain.ts';

const cut = 131_072;

it.each([
  ['a line end of two characters', 'x'.repeat(cut - 1), '\r\ny', '\ny'],
  ['a pair of surrogates', 'x'.repeat(cut - 1), '😀y', '😀y'],
  ['a sign', 'x'.repeat(cut - 1), '<>', '&lt;&gt;'],
  ['nothing', 'x'.repeat(cut), '', ''],
])('a text shown plain is written in pieces that do not cut %s', (_, before, end, written) => {
  const pieces = [...plainPieces(before + end)];
  expect(pieces.join('')).toBe(`<pre>\n${before}${written}</pre>`);
  expect(renderPlain(before + end, 'time')).toEqual({ html: pieces.join(''), headings: [], plain: 'time' });
});

it('so many characters are a piece', () => {
  expect([...plainPieces('x'.repeat(3 * cut))].map(({ length }) => length)).toEqual([6, cut, cut, cut, 6]);
  expect([...plainPieces('')].join('')).toBe('<pre>\n</pre>');
});
