import { CompactEncrypt, exportJWK, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { type HeaderFacts, type JwsRules, readCompactJws, verifyJws } from '../../src/keys/jws.ts';
import { isCanonicalBase64url } from '../../src/values/base64url.ts';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { forge, keptKey } from '../support/forge.ts';

// Found by mutation testing: each of these could be lost without another test noticing.

const nonce = { nonce: undefined };

test.each([
  ['', true],
  ['AA', true],
  ['AE', false],
  ['AQ', true],
  ['AAE', true],
  ['AAF', false],
  ['AAAA', true],
  ['AAAAA', false],
  ['AAAAAA', true],
  ['+AAA', false],
  ['AAA+', false],
  ['A\nAA', false],
])('checks whether %j is canonical base64url: %s', (text, canonical) => {
  expect(isCanonicalBase64url(text)).toBe(canonical);
});

test('names what was expected and received when refusing a token before its signature', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ idTokenAlgorithms: ['RS256', 'ES256'] });
  const refusal = async (token: unknown) => errorOf(rp.validateIdToken(token as string, nonce));
  const [head, payload] = (await op.sign(op.claims())).split('.');
  expect(await refusal(`${head}.${payload}.`)).toMatchObject({
    code: 'OIDC_JWT_SIGNATURE',
    check: 'id_token.signature',
    expected: 'a signature',
    received: 'none',
  });
  expect(await refusal(7)).toMatchObject({ code: 'OIDC_JWT_MALFORMED', check: 'id_token', expected: 'text' });
  expect(await refusal('AA.AA.AA.AA.AA')).toMatchObject({ expected: 'a signed token', received: 'an encrypted one' });
  const algorithm = { code: 'OIDC_JWT_ALGORITHM', check: 'id_token.alg', expected: 'RS256, ES256' };
  expect(await refusal(await op.sign(op.claims(), { alg: 'PS256' }))).toMatchObject({ ...algorithm, received: 'PS256' });
  expect(await refusal(await op.sign(op.claims(), { alg: undefined }))).toMatchObject({ ...algorithm, received: 'none given' });
});

test.each([7, null, {}, 'japplication/wt', 'application/application/jwt'])('refuses the type %j', async typ => {
  const op = await FakeOp.start();
  expect(await errorOf(op.relyingParty().validateIdToken(await op.sign(op.claims(), { typ }), nonce))).toMatchObject({
    code: 'OIDC_JWT_TYPE',
    check: 'id_token.typ',
    expected: 'jwt, or none',
  });
});

test('remembers at most sixteen headers, each once its token has verified', async () => {
  const key = await keptKey('first');
  const knownHeaders = new Map<string, HeaderFacts>();
  const limits = { maxTokenBytes: 10_000, maxTokenHeaderBytes: 1000 };
  const rules: JwsRules = { subject: 'id_token', algorithms: ['RS256'], types: ['jwt'], limits, knownHeaders };
  const verify = async (header: object, spoil = (token: string) => token) => {
    const token = spoil(await forge({ alg: 'RS256', ...header }, { sub: 'sub-1' }, key));
    return verifyJws(readCompactJws(token, rules), { find: () => [key.publicKey] }, rules);
  };
  await errorOf(verify({ kid: 'forged' }, token => token.replace(/[^.]{8}$/, 'AAAAAAAA')));
  expect([...knownHeaders.values()]).toEqual([]);
  for (let at = 0; at < 16; at += 1) await verify({ kid: `k${at}` });
  expect([...knownHeaders.values()].map(({ alg, kid }) => `${alg} ${kid}`)).toEqual(
    Array.from({ length: 16 }, (_, at) => `RS256 k${at}`),
  );
  await verify({ kid: 'k3' });
  expect(knownHeaders.size).toBe(16);
  await verify({ kid: 'k16' });
  expect([...knownHeaders.values()]).toEqual([{ alg: 'RS256', kid: 'k16' }]);
});

test('names what was expected and received when refusing the header of an encrypted token', async () => {
  const op = await FakeOp.start();
  const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { extractable: true });
  const keys = [{ key: privateKey }];
  const rp = op.relyingParty({ idTokenDecryption: { algorithm: 'ECDH-ES', encryption: 'A256GCM', keys } });
  const refusal = async (header: Record<string, unknown>, of: object = {}) => {
    const sealed = await new CompactEncrypt(new TextEncoder().encode(await op.sign(op.claims())))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', ...of })
      .encrypt(publicKey);
    const [head = '', ...rest] = sealed.split('.');
    const changed = { ...JSON.parse(Buffer.from(head, 'base64url').toString()), ...header };
    const token = [Buffer.from(JSON.stringify(changed)).toString('base64url'), ...rest].join('.');
    return errorOf(rp.validateIdToken(token, nonce));
  };
  const faults: [Record<string, unknown>, string, string, string][] = [
    [{ alg: 'ECDH-ES+A128KW' }, 'alg', 'ECDH-ES', 'ECDH-ES+A128KW'],
    [{ enc: 'A128GCM' }, 'enc', 'A256GCM', 'A128GCM'],
    [{ zip: 'DEF' }, 'zip', 'no compression', 'DEF'],
    [{ cty: 'text' }, 'cty', 'JWT', 'text'],
    [{ kid: 7 }, 'kid', 'text', '7'],
  ];
  for (const [change, member, expected, received] of faults) {
    const said = { code: 'OIDC_JWE_HEADER', check: `id_token.jwe.${member}`, expected, received };
    expect(await refusal(change)).toMatchObject(said);
  }
  expect((await errorOf(rp.validateIdToken(await op.sign(op.claims()), nonce))).expected).toBe('an encrypted token');
  const header = { kid: 'of nobody here' };
  const sealed = await new CompactEncrypt(new TextEncoder().encode(await op.sign(op.claims())))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', ...header })
    .encrypt(publicKey);
  expect((await rp.validateIdToken(sealed, nonce)).sub).toBe('sub-1');
});

const { alg: _, ...rsaForDecryption } = await exportJWK(
  (await generateKeyPair('RSA-OAEP-256', { extractable: true })).privateKey,
);

describe('SHA-1 in RSA-OAEP is refused by name unless allowed', () => {
  const keys = [{ key: rsaForDecryption }];
  const settings: [object, string | undefined, string][] = [
    [{ algorithm: 'RSA-OAEP', dangerouslyAllowSha1: true }, undefined, ''],
    [{ algorithm: 'RSA-OAEP', dangerouslyAllowSha1: false }, 'dangerouslyAllowSha1', 'true for RSA-OAEP'],
    [{ algorithm: 'RSA-OAEP' }, 'dangerouslyAllowSha1', 'true for RSA-OAEP'],
    [{ algorithm: 'RSA-OAEP-256' }, undefined, ''],
    [{ algorithm: 'RSA-OAEP-256', dangerouslyAllowSha1: false }, undefined, ''],
    [{ algorithm: 'RSA-OAEP-256', dangerouslyAllowSha1: true }, undefined, ''],
    [{ algorithm: 'RSA-OAEP-256', dangerouslyAllowSha1: 'yes' }, 'dangerouslyAllowSha1', 'true or false'],
    [{ algorithm: 'RSA-OAEP-256', keys: [] }, 'keys', 'an array of at least 1 of keys'],
  ];

  test.each(settings)('%j: %s', async (setting, member, expected) => {
    const op = await FakeOp.start();
    const idTokenDecryption = { encryption: 'A256GCM', keys, ...setting } as never;
    const make = () => op.relyingParty({ idTokenDecryption });
    if (member === undefined) expect(make).not.toThrow();
    else expect(make).toThrow(expect.objectContaining({ check: `options.idTokenDecryption.${member}`, expected }));
  });
});
