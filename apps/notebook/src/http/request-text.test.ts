import { describe, expect, it, test } from 'vitest';
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
test.each(['\\n', '\\u0074', '\\"', '\\\\', '\\/'])('a member called %s, which the engine may misread, is refused', written => {
  // What leads V8 13.6 to 14.6 to expect a member called `\` next.
  JSON.parse(`{"a${written.length}":1,"\\\\":1}`);
  expect(() => readJson(bytes(`{"a${written.length}":1,"${written}" : 2}`))).toThrow(
    expect.objectContaining({ code: 'bad_request', extras: { detail: 'A name in the body is a single escaped character.' } }),
  );
});

test.each([{ content: '"\\": "\n": \\" :' }, { content: '"' }, { content: '\\' }, { 'a\nb': '\n', n: ':' }])(
  'text with quotes, escapes and colons is content: %j',
  value => {
    expect(readJson(bytes(JSON.stringify(value)))).toEqual(value);
  },
);
