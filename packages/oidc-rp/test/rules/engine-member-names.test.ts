import { expect, test } from 'vitest';
import { parseEscapedNames } from '../../src/values/escaped-json.ts';
import { readJsonObject } from '../../src/values/json.ts';
import { errorOf } from '../support/expect-refused.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => Object.fromEntries(Object.entries(readJsonObject(bytes(text), 'test')));
const code = async (text: string) => (await errorOf(Promise.resolve().then(() => readJsonObject(bytes(text), 'test')))).code;

/** Leads the engine to expect a member called `\` after the first one; V8 13.6 to 14.6 then misread the next escaped name. */
const prime = (first: string) => JSON.parse(`{"${first}":1,"\\\\":1}`);

test.each([
  ['\\n', '\n'],
  ['\\u006e', 'n'],
  ['\\"', '"'],
  ['\\/', '/'],
  ['\\u00e9', 'é'],
])('a member called %s is read by its name, whatever was read before', (written, name) => {
  const first = `first-${written.length}-${name.charCodeAt(0)}`;
  prime(first);
  expect(read(`{"${first}":1,"${written}":2}`)).toEqual({ [first]: 1, [name]: 2 });
});

test('a duplicate name is noticed when the second is written with an escape', async () => {
  prime('n');
  expect(await code('{"n":1,"\\u006e":2}')).toBe('OIDC_JSON_DUPLICATE_MEMBER');
  expect(await code('{"a":{"n":1,"\\u006e":2}}')).toBe('OIDC_JSON_DUPLICATE_MEMBER');
});

test.each([
  '{"a\\/b":1}',
  '{ "https:\\/\\/claims.example\\/groups" : [ "a" , { "x\\ty" : null } , -1.5e3 , true ] , "b" : "c\\u0041\\\\\\"" }',
  '{"\\u005f_proto__":{"polluted":true},"constructor":[]}',
  '{"e\\n":{},"f":[],"g":[[],[{}]]}',
  '{"\\ud83d\\ude00":"\\ud83d\\ude00 \\b\\f\\n\\r\\t"}',
])('%s is read as JSON says', text => {
  expect(parseEscapedNames(text)).toEqual(JSON.parse(text));
  expect(Object.keys(parseEscapedNames(text) as object)).toEqual(Object.keys(JSON.parse(text)));
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('depth is bounded for escaped names, too', async () => {
  expect(await code(`{"\\n":${'['.repeat(40)}${']'.repeat(40)}}`)).toBe('OIDC_JSON_TOO_DEEP');
});
