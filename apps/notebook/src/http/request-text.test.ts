import { describe, expect, it, test } from 'vitest';
import { readJson, readJsonInSteps, readUtf8, requireCleanText } from './request-text.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('JSON of too many values', () => {
  it.each([
    ['names', `{${Array.from({ length: 700_000 }, (_, index) => `"k${index}":1`).join(',')}}`],
    ['objects', `[${'{"a":1},'.repeat(900_000)}1]`],
    ['arrays in arrays', '['.repeat(4_000_000)],
  ])('is refused by its bytes, before anything is made of it: %s', (_, text) => {
    expect(() => readJson(bytes(text))).toThrow(expect.objectContaining({ code: 'too_large' }));
  });

  it('is told by the values it holds: 10,000 are read, and the next one is too many', () => {
    const values = (count: number) => bytes(`[${Array(count).fill(0).join()}]`);
    const refusal = { code: 'too_large', extras: { detail: 'The body holds more than 10000 values.' } };
    expect(readJson(values(10_000))).toHaveLength(10_000);
    expect(() => readJson(values(10_001))).toThrow(expect.objectContaining(refusal));
    expect(() => readJson(values(20_001))).toThrow(expect.objectContaining(refusal));
    // All are malformed, but only those short enough to be parsed are reported as such.
    for (const sign of ['[', '{', ',']) {
      expect(() => readJson(bytes(sign.repeat(20_000)))).toThrow(expect.objectContaining({ code: 'bad_request' }));
      expect(() => readJson(bytes(sign.repeat(20_001)))).toThrow(expect.objectContaining(refusal));
    }
  });

  it('is not counted in a text that never ends', () => {
    expect(() => readJson(bytes(`"${','.repeat(30_000)}`))).toThrow(expect.objectContaining({ code: 'bad_request' }));
    expect(() => readJson(bytes(`"\\\\"${','.repeat(30_000)}`))).toThrow(expect.objectContaining({ code: 'too_large' }));
    expect(() => readJson(bytes(`\\"${','.repeat(30_000)}`))).toThrow(expect.objectContaining({ code: 'bad_request' }));
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
  // A body that leads V8 13.6 to 14.6 to expect a member called `\` next.
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

describe('what is no text of ours', () => {
  const nul = (where: string) => ({ code: 'bad_request', extras: { detail: `${where} holds a NUL character.` } });
  const half = (where: string) => ({
    code: 'bad_request',
    extras: { detail: `${where} holds a lone surrogate (half of a UTF-16 pair).` },
  });

  test.each([
    ['{"a":"\\u0000"}', nul('The body')],
    ['[[{"a":["b","c\\u0000"]}],1]', nul('The body')],
    ['"\\u0000"', nul('The body')],
    ['{"a\\u0000":1}', nul('A name in the body')],
    ['{"a":{"xx\\ud800":null}}', half('A name in the body')],
    ['["\\udc00\\ud800"]', half('The body')],
    ['{"a":', { code: 'bad_request', extras: { detail: 'The body is not valid JSON.' } }],
  ])('is refused, wherever it stands: %s', (text, refusal) => {
    expect(() => readJson(bytes(text))).toThrow(expect.objectContaining(refusal));
  });

  test('is refused by its bytes', () => {
    const refusal = { code: 'bad_request', extras: { detail: 'The body is not valid UTF-8.' } };
    for (const read of [readUtf8, readJson])
      expect(() => read(new Uint8Array([0x22, 0xc3, 0x22]))).toThrow(expect.objectContaining(refusal));
    expect(readUtf8(bytes('grüße'))).toBe('grüße');
  });

  test('is refused by the name of what holds it; clean text is given back', () => {
    expect(() => requireCleanText('a\0', 'The query')).toThrow(expect.objectContaining(nul('The query')));
    expect(() => requireCleanText('\ud800', 'The form')).toThrow(expect.objectContaining(half('The form')));
    expect(requireCleanText('grüße 😀', 'The form')).toBe('grüße 😀');
  });
});

test.each(['', ' \n\t '])('an empty body is nothing: "%s"', text => expect(readJson(bytes(text))).toBeUndefined());

test.each(['null', '1', 'true', '"a"', '[null,{"a":null}]'])('any JSON value is read: %s', text => {
  expect(readJson(bytes(text))).toEqual(JSON.parse(text));
});

test('a large body is read in four steps', () => {
  expect([...readJsonInSteps(bytes('{"a":1}'))]).toEqual([undefined, undefined, undefined]);
});
