import { describe, expect, it } from 'vitest';
import { findLinks } from './comment-links.ts';

describe('links in a comment', () => {
  it.each([
    ['no link', [{ text: 'no link' }]],
    ['see https://a.example/x.', [{ text: 'see ' }, { text: 'https://a.example/x', href: 'https://a.example/x' }, { text: '.' }]],
    ['(http://a.example)', [{ text: '(' }, { text: 'http://a.example', href: 'http://a.example' }, { text: ')' }]],
    ['javascript:alert(1)', [{ text: 'javascript:alert(1)' }]],
    ['data:text/html,x ftp://a.example', [{ text: 'data:text/html,x ftp://a.example' }]],
    ['https://', [{ text: 'https://' }]],
    ['https://a.example/<b>', [{ text: 'https://a.example/', href: 'https://a.example/' }, { text: '<b>' }]],
    ['', []],
  ])('%s', (body, parts) => expect(findLinks(body)).toEqual(parts));

  it('loses no character', () => {
    const body = 'a https://x.example/?q=1&r=2, b http://y.example! ünï https://z.example/日本';
    expect(
      findLinks(body)
        .map(part => part.text)
        .join(''),
    ).toBe(body);
  });

  it('are the first 20, and the rest is text', () => {
    const body = 'http://a.example '.repeat(30);
    const parts = findLinks(body);
    expect(parts.filter(({ href }) => href !== undefined)).toHaveLength(20);
    expect(parts.map(({ text }) => text).join('')).toBe(body);
  });
});
