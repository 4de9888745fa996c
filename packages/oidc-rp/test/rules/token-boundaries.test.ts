import { CompactEncrypt, generateKeyPair } from 'jose';
import { expect, test } from 'vitest';
import { readJsonObject } from '../../src/values/json.ts';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

// What mutation testing found nobody looking at in the reading of tokens.
const read = (text: string) => readJsonObject(new TextEncoder().encode(text), 'test');
const codeOf = async (text: string) => (await errorOf(Promise.resolve().then(() => read(text)))).code;

test.each([
  '{"a" :1,"a" :2}',
  '{"a"\n\t\r :1,"a":2}',
  '{"a":"\\"","a":2}',
  '{"a":"\\\\","a":2}',
  '{"a":"x\\\\\\"","b":1,"a":2}',
  '{"a":"x\\"y","b":1,"b":2}',
  '{"a\\"b":1,"a\\"b":2}',
  '{"x":[{"a":1,"a":2}]}',
  '{"x":{"y":{"a":1,"a":2}}}',
  '{"a\\n":1,"a\\n" :2}',
  '{"a":null,"a":null}',
])('a duplicate name in %s is noticed', async text => {
  expect(await codeOf(text)).toBe('OIDC_JSON_DUPLICATE_MEMBER');
});

test.each([
  '{"a" : 1 , "b" : 2}',
  '{"a":"x\\"y","b":1}',
  '{"a\\"b":1,"c":2}',
  '{"a":"\\"a\\":","b":"\\\\"}',
  '{"a":": \\"b\\" :","b":[null,":",{"a":null}]}',
  '{"a":"\\\\\\"","b":"\\\\\\\\"}',
  '{"a":null,"b":[null],"c":[[]],"d":{}}',
])('no name is duplicated in %s', text => {
  expect({ ...read(text) }).toEqual(JSON.parse(text));
});

test('members whose names are written with escapes can be changed and taken away like any other', () => {
  const value = read('{"\\u0061":1}');
  value.a = 2;
  expect({ ...value }).toEqual({ a: 2 });
  expect(Reflect.deleteProperty(value, 'a')).toBe(true);
});

test('32 levels are taken, in objects and in lists, and 33 are not', async () => {
  const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const lists = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  for (const text of [objects(32), lists(32)]) expect(Object.keys(read(text))).toEqual(['a']);
  for (const text of [objects(33), lists(33), `{"\\n":${'['.repeat(32)}${']'.repeat(32)}}`])
    expect(await codeOf(text)).toBe('OIDC_JSON_TOO_DEEP');
});

async function encrypting(count = 1) {
  const op = await FakeOp.start();
  const pairs = await Promise.all(Array.from({ length: count }, () => generateKeyPair('ECDH-ES', { extractable: true })));
  const keys = pairs.map(({ privateKey }, at) => ({ kid: `k${at}`, key: privateKey }));
  const rp = op.relyingParty({ idTokenDecryption: { algorithm: 'ECDH-ES', encryption: 'A256GCM', keys } });
  const encrypted = async (at: number, header: object = {}) =>
    new CompactEncrypt(new TextEncoder().encode(await op.sign(op.claims())))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', ...header })
      .encrypt(pairs[at]!.publicKey);
  return { op, rp, encrypted, validate: (token: unknown) => rp.validateIdToken(token as string, { nonce: undefined }) };
}

test('a key id chooses among the keys, and without one at most four are tried', async () => {
  const { encrypted, validate } = await encrypting(6);
  expect((await validate(await encrypted(5, { kid: 'k5' }))).sub).toBe('sub-1');
  expect((await validate(await encrypted(3))).sub).toBe('sub-1');
  for (const token of [await encrypted(5), await encrypted(0, { kid: 'k1' }), await encrypted(0, { kid: 'x' })])
    expect((await errorOf(validate(token))).code).toBe('OIDC_JWE_DECRYPTION');
  expect(await errorOf(validate(await encrypted(0, { kid: 7 })))).toMatchObject({
    code: 'OIDC_JWE_HEADER',
    check: 'id_token.jwe.kid',
  });
});

test('an encrypted token has five parts of canonical base64url and a length, before anything is done with it', async () => {
  const { encrypted, validate, op } = await encrypting();
  const token = await encrypted(0);
  const parts = token.split('.');
  const withPart = (at: number, part: string) => parts.map((old, index) => (index === at ? part : old)).join('.');
  const malformed = [
    7,
    `${token}.AAAA`,
    parts.slice(0, 4).join('.'),
    withPart(0, ''),
    withPart(2, ''),
    withPart(3, ''),
    withPart(4, ''),
    withPart(2, `${parts[2]}=`),
    withPart(4, `${parts[4]}+`),
  ];
  for (const wrong of malformed)
    expect((await errorOf(validate(wrong))).code, String(wrong).slice(-20)).toBe('OIDC_JWT_MALFORMED');
  const limited = (maxTokenBytes: number) =>
    op.relyingParty({
      limits: { maxTokenBytes },
      idTokenDecryption: { algorithm: 'ECDH-ES', encryption: 'A256GCM', keys: [{ key: { kty: 'EC', d: 'AQ' } }] },
    });
  const codeAt = async (length: number) => (await errorOf(limited(length).validateIdToken(token, { nonce: undefined }))).code;
  expect([await codeAt(token.length), await codeAt(token.length - 1)]).toEqual(['OIDC_JWE_DECRYPTION', 'OIDC_JWT_TOO_LARGE']);
});

test('a signed token and its header are read up to their limits', async () => {
  const op = await FakeOp.start();
  const token = await op.sign(op.claims());
  const header = token.indexOf('.');
  const validate = async (limits: object) => op.relyingParty({ limits }).validateIdToken(token, { nonce: undefined });
  expect((await validate({ maxTokenBytes: token.length, maxTokenHeaderBytes: header })).sub).toBe('sub-1');
  expect((await errorOf(validate({ maxTokenBytes: token.length - 1 }))).code).toBe('OIDC_JWT_TOO_LARGE');
  expect(await errorOf(validate({ maxTokenHeaderBytes: header - 1 }))).toMatchObject({
    code: 'OIDC_JWT_TOO_LARGE',
    check: 'id_token.header',
  });
});
