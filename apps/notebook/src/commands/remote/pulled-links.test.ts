import { expect, it } from 'vitest';
import { linksLeft, linksOfPull, withoutOwn } from './pulled-links.ts';

const text = (...links: readonly string[]) => links.map(link => `![A](${link})\n`).join('\n');
const many = (count: number) => text(...Array.from({ length: count }, (_, at) => `${at}.png`));

it('of a pulled text, links to files are remembered, but none that the text had here', () => {
  expect(linksOfPull(text('a.png', 'sub/b.png', 'https://c.example/c.png', '//d.example/d.png'), undefined)).toEqual([
    'a.png',
    'sub/b.png',
  ]);
  expect(linksOfPull(text('a.png', 'b.png'), text('a.png'))).toEqual(['b.png']);
});

it('a link that came with an earlier pull is no own one, though the text has it here', () => {
  const before = linksOfPull(text('a.png', 'b.png'), text('a.png'));
  expect(linksOfPull(text('a.png', 'b.png', 'c.png'), text('a.png', 'b.png'), before)).toEqual(['b.png', 'c.png']);
  expect(linksOfPull(text('a.png'), text('a.png', 'b.png'), before)).toEqual([]);
});

it('more than 200 are remembered as all, until the text has none', () => {
  expect(linksOfPull(many(200), undefined)).toHaveLength(200);
  expect(linksOfPull(many(201), undefined)).toBe('all');
  expect(linksOfPull(text('a.png'), text('a.png'), 'all')).toBe('all');
  expect(linksOfPull('no picture', text('a.png'), 'all')).toEqual([]);
});

it('what leads to an own picture is forgotten, and what the file no longer has', () => {
  expect(withoutOwn(['../a.png', 'b.png'], 'sub/page.md', new Map([['a.png', '']]))).toEqual(['b.png']);
  expect(withoutOwn('all', 'page.md', new Map([['a.png', '']]))).toBe('all');
  expect(linksLeft(['a.png', 'b.png'], text('b.png'))).toEqual(['b.png']);
  expect(linksLeft('all', text('b.png'))).toBe('all');
  expect(linksLeft(undefined, text('b.png'))).toEqual([]);
});
