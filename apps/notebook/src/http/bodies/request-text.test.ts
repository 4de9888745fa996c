import fc from 'fast-check';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import type { Refusal } from '../../errors.ts';
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

afterEach(() => void vi.restoreAllMocks());

/** What is read, or the refusal. */
function outcome(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch (error) {
    return { refusal: (error as Refusal).code, extras: (error as Refusal).extras };
  }
}

function readInSteps(body: Uint8Array): { value: unknown; steps: number } {
  const steps = readJsonInSteps(body);
  for (let count = 1; ; count += 1) {
    const step = steps.next();
    if (step.done) return { value: step.value, steps: count };
  }
}

describe('a large body is read in steps', () => {
  test('a small one would take four', () => expect(readInSteps(bytes('{"a":1}'))).toEqual({ value: { a: 1 }, steps: 4 }));

  const mebibyte = 1_048_576;
  test.each([
    ['one text of escapes', { pages: [{ markdown: '\n'.repeat(2 * mebibyte) }] }, 7],
    ['one text of letters of two bytes', { pages: [{ markdown: 'д'.repeat(2 * mebibyte) }] }, 7],
    ['200 pages', { pages: Array.from({ length: 200 }, (_, at) => ({ markdown: `${at} ${'a\n'.repeat(7_000)}` })) }, 7],
    ['9,000 texts', { pages: Array.from({ length: 9_000 }, () => '"'.repeat(230)) }, 7],
  ])('of which none parses more than half a mebibyte: %s', (_, value, least) => {
    const body = bytes(JSON.stringify(value));
    const parse = vi.spyOn(JSON, 'parse');
    const read = readInSteps(body);
    expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThanOrEqual(mebibyte / 2 + 2);
    parse.mockRestore();
    expect(read.value).toEqual(value);
    expect(read.steps).toBeGreaterThanOrEqual(least);
  });

  test('a step parses one part of a text, or several short texts, but no long part after another', () => {
    const markdown = 'word '.repeat(209_000);
    const steps = readJsonInSteps(bytes(JSON.stringify({ pages: Array.from({ length: 3 }, () => ({ markdown })) })));
    const parse = vi.spyOn(JSON, 'parse');
    const parsed: number[] = [];
    for (let isDone = false; !isDone; ) {
      parse.mockClear();
      isDone = steps.next().done === true;
      parsed.push(parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0));
    }
    parse.mockRestore();
    expect(Math.max(...parsed)).toBeLessThanOrEqual(mebibyte / 2 + 2);
  });

  const faces = '\u{1F600}'.repeat(50_000);
  const hex = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`;
  test.each([
    ['pairs that are cut in half', `x${faces}`],
    ['pairs and a half at the end', `${faces}\ud83d`],
    ['a half where the text is cut', `${faces}\ud83dx${faces}`],
    ['NUL', `${faces}\0${faces}`],
  ])('of a text of more than one part, no more than a part is searched at once: %s', (_, text) => {
    const body = bytes(`{"a":"${Array.from({ length: text.length }, (_, at) => hex(text.charCodeAt(at))).join('')}"}`);
    const atOnce = outcome(() => readJson(body));
    const includes = vi.spyOn(String.prototype, 'includes');
    expect(outcome(() => readInSteps(body).value)).toEqual(atOnce);
    const searched = includes.mock.contexts.map(String).reduce((most, { length }) => Math.max(most, length), 0);
    includes.mockRestore();
    // Each unit is an escape of six bytes; the half of a pair joins the part after it.
    expect(searched).toBeLessThanOrEqual(mebibyte / 2 / 6 + 1);
  });

  test('one of quotes is not searched again after each of them', () => {
    const body = bytes(`{"a":"${'\\"'.repeat(mebibyte)}"}`);
    const search = vi.spyOn(Buffer.prototype, 'indexOf');
    const { value, steps } = readInSteps(body);
    expect(search.mock.calls.length).toBeLessThan(body.length / 60);
    expect(value).toEqual({ a: '"'.repeat(mebibyte) });
    // The bytes are looked at in portions of half a mebibyte.
    expect(steps).toBeGreaterThanOrEqual(8);
  });

  test('one of spaces is looked at in portions', () => {
    expect(readInSteps(bytes(`{${' '.repeat(2 * mebibyte)}"a":1}`))).toEqual({ value: { a: 1 }, steps: 8 });
  });

  const long = 'word \n "\\" \u{1F600} é \uFEFF'.repeat(20);
  test.each([
    ['a text alone', JSON.stringify(long)],
    ['a long name', JSON.stringify({ [long]: long })],
    ['a name, spaces and a colon', `{${JSON.stringify(long)} \n : 1}`],
    ['a name that is given twice', `{"a":${JSON.stringify(long)},"a":"b"}`],
    ['a name with a setter', `{"__proto__":${JSON.stringify(long)}}`],
    ['a name of digits', `{"b":${JSON.stringify(`b${long}`)},"1":${JSON.stringify(`1${long}`)}}`],
    ['half of a pair at the end of a long text', `["${long.slice(0, 300).replace(/["\\\n]/g, '')}\\ud83d"]`],
    ['NUL in a long text', JSON.stringify([`${long}\0`])],
    ['a mark of UTF-8 at the beginning', `\uFEFF{"a":${JSON.stringify(long)}}`],
    ['a mark of UTF-8 after a long text', `{"a":${JSON.stringify(long)}\uFEFF}`],
    ['a mark of UTF-8 before a long text', `{"a":\uFEFF${JSON.stringify(long)}}`],
    ['a long text alone, without an end', `"${'x'.repeat(400)}`],
    ['a long text without an end', `{"a":"${'x'.repeat(400)}`],
    ['a long text that ends in a backslash', `{"a":"${'x'.repeat(400)}\\`],
    ['a line break in a long text', `{"a":"${'x'.repeat(400)}\n"}`],
    ['an unknown escape in a long text', `{"a":"${'x'.repeat(400)}\\x"}`],
    ['an escape without its digits at the end of a long text', `{"a":"${'x'.repeat(400)}\\u00"}`],
    ['two long texts without a comma', `[${JSON.stringify(long)}${JSON.stringify(long)}]`],
  ])('with what it would be read at once: %s', (_, text) => {
    const atOnce = outcome(() => readJson(bytes(text)));
    expect(outcome(() => readInSteps(bytes(text)).value)).toEqual(atOnce);
  });

  test('and what is not UTF-8 in a long text is refused', () => {
    const body = Buffer.concat([bytes(`{"a":"${'x'.repeat(400)}`), Buffer.from([0xc3]), bytes('"}')]);
    const refusal = { refusal: 'bad_request', extras: { detail: 'The body is not valid UTF-8.' } };
    expect(outcome(() => readInSteps(body).value)).toEqual(refusal);
  });

  test('a text that says it stands for another one is refused', () => {
    // As they are made, but for the part that is drawn for each body.
    const forged = JSON.stringify(`\0${'0'.repeat(32)} 0`);
    const refusal = { refusal: 'bad_request', extras: { detail: 'The body holds a NUL character.' } };
    expect(outcome(() => readInSteps(bytes(`{"a":${JSON.stringify(long)},"b":${forged}}`)).value)).toEqual(refusal);
  });

  test('whatever is changed in it, it is read or refused as at once', () => {
    const text = JSON.stringify({ pages: [{ title: 'a', markdown: long }, { markdown: `${long}b` }], more: [1, null, [long]] });
    const change = fc.record({
      at: fc.nat(Buffer.byteLength(text)),
      byte: fc.constantFrom(...Buffer.from('"\\:,[]{}u\n 0'), 0xc3, 0x00),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3 }), changes => {
        const body = Buffer.from(text);
        for (const { at, byte } of changes) body[at] = byte;
        const [atOnce, inSteps] = [outcome(() => readJson(body)), outcome(() => readInSteps(body).value)] as {
          value?: unknown;
          refusal?: string;
        }[];
        expect(inSteps!.value).toEqual(atOnce!.value);
        expect(inSteps!.refusal).toBe(atOnce!.refusal);
      }),
      { numRuns: 500 },
    );
  });
});
