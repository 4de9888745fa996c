import { describe, expect, it } from 'vitest';
import { readJson } from './request-text.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('JSON of too many values', () => {
  it.each([
    ['names', `{${Array.from({ length: 700_000 }, (_, index) => `"k${index}":1`).join(',')}}`],
    ['objects', `[${'{"a":1},'.repeat(900_000)}1]`],
    ['arrays in arrays', '['.repeat(4_000_000)],
  ])('is refused by its bytes, before anything is made of it: %s', (_, text) => {
    expect(() => readJson(bytes(text))).toThrow(expect.objectContaining({ code: 'too_large' }));
  });

  it('is not what stands inside a text, quotes and backslashes included', () => {
    const value = { pages: [{ markdown: '[{,'.repeat(100_000) }, { markdown: '\\"[,{\\\\'.repeat(100_000) }] };
    expect(readJson(bytes(JSON.stringify(value)))).toEqual(value);
  });

  it('is not a notebook of 200 pages', () => {
    const value = { title: 'a', pages: Array.from({ length: 200 }, () => ({ title: 'b', markdown: 'c' })) };
    expect(readJson(bytes(JSON.stringify(value)))).toEqual(value);
  });
});
