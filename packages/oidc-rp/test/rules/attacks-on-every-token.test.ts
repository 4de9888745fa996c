import { expect, test } from 'vitest';
import type { OidcErrorCode } from '../../src/index.ts';
import { errorOf, postLogout } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { base64url, forge, forgeHmac, keptKey, type SigningKey, signBytes, signingInput } from '../support/forge.ts';

type Json = Record<string, unknown>;
type Attack = (header: Json, claims: Json, key: SigningKey, op: FakeOp) => Promise<string> | string;

const header =
  (change: Json): Attack =>
  (head, claims, key) =>
    forge({ ...head, ...change }, claims, key);
const text =
  (change: (json: string) => string): Attack =>
  (head, claims, key) =>
    forge(head, change(JSON.stringify(claims)), key);
const respelled =
  (change: (token: string) => string): Attack =>
  async (head, claims, key) =>
    change(await forge(head, claims, key));
const nested = '['.repeat(100) + ']'.repeat(100);

/** Attacks on the envelope: they meet an ID Token, a logout token and signed UserInfo alike. */
const attacks: Record<string, [OidcErrorCode, Attack]> = {
  'alg none': ['OIDC_JWT_ALGORITHM', (head, claims) => `${signingInput({ ...head, alg: 'none' }, claims)}.`],
  'alg nOnE': ['OIDC_JWT_ALGORITHM', (head, claims) => `${signingInput({ ...head, alg: 'nOnE' }, claims)}.`],
  'no signature': ['OIDC_JWT_SIGNATURE', (head, claims) => `${signingInput(head, claims)}.`],
  'alg a list': ['OIDC_JWT_ALGORITHM', header({ alg: ['RS256'] })],
  'alg an inherited name': ['OIDC_JWT_ALGORITHM', header({ alg: 'constructor' })],
  'HMAC with the client secret': [
    'OIDC_JWT_ALGORITHM',
    (head, claims, _key, op) => forgeHmac({ ...head, alg: 'HS256' }, claims, new TextEncoder().encode(op.secret)),
  ],
  'HMAC with the public key': [
    'OIDC_JWT_ALGORITHM',
    (head, claims, key) => forgeHmac({ ...head, alg: 'HS256' }, claims, new TextEncoder().encode(JSON.stringify(key.publicJwk))),
  ],
  'PS256 for RS256': [
    'OIDC_JWT_ALGORITHM',
    async (head, claims) => forge({ ...head, alg: 'PS256' }, claims, await keptKey('second', 'PS256')),
  ],
  'a foreign key': ['OIDC_JWT_SIGNATURE', async (head, claims) => forge(head, claims, await keptKey('stranger'))],
  'a foreign key, brought along': [
    'OIDC_JWT_SIGNATURE',
    async (head, claims) =>
      forge(
        { ...head, jwk: (await keptKey('stranger')).publicJwk, jku: 'https://evil.example/jwks', x5u: 'https://evil.example' },
        claims,
        await keptKey('stranger'),
      ),
  ],
  'kid a path': ['OIDC_KEY_UNKNOWN', header({ kid: '../../dev/null' })],
  'kid an inherited name': ['OIDC_KEY_UNKNOWN', header({ kid: '__proto__' })],
  'kid an object': ['OIDC_JWT_HEADER', header({ kid: {} })],
  'crit empty': ['OIDC_JWT_CRITICAL', header({ crit: [] })],
  'b64 false': ['OIDC_JWT_CRITICAL', header({ b64: false })],
  'typ of an access token': ['OIDC_JWT_TYPE', header({ typ: 'at+jwt' })],
  'a header over 8 kB': ['OIDC_JWT_TOO_LARGE', header({ filler: 'x'.repeat(6_200) })],
  'a header member twice': [
    'OIDC_JSON_DUPLICATE_MEMBER',
    (head, claims, key) => forge(JSON.stringify(head).replace('{', '{"\\u0061lg":"none",'), claims, key),
  ],
  'a claim twice': ['OIDC_JSON_DUPLICATE_MEMBER', text(json => json.replace('{', '{"sub":"admin",'))],
  'a byte order mark': ['OIDC_JSON_INVALID', text(json => `\ufeff${json}`)],
  'a list for claims': ['OIDC_JSON_INVALID', text(() => '[]')],
  'claims nested too deeply': ['OIDC_JSON_TOO_DEEP', text(json => json.replace('{', `{"deep":${nested},`))],
  'bytes that are not UTF-8': [
    'OIDC_JSON_INVALID',
    async (head, claims, key) => {
      const payload = Buffer.concat([
        Buffer.from(JSON.stringify({ ...claims, name: '' }).slice(0, -2)),
        Buffer.of(0xff),
        Buffer.from('"}'),
      ]);
      const input = `${base64url(JSON.stringify(head))}.${payload.toString('base64url')}`;
      return `${input}.${base64url(await signBytes(input, key))}`;
    },
  ],
  padding: ['OIDC_JWT_MALFORMED', respelled(token => `${token}==`)],
  'white space': ['OIDC_JWT_MALFORMED', respelled(token => `${token}\n`)],
  'two parts': ['OIDC_JWT_MALFORMED', respelled(token => token.split('.').slice(0, 2).join('.'))],
  'six parts': ['OIDC_JWT_MALFORMED', respelled(token => `${token}.AA.AA.AA`)],
  encryption: ['OIDC_JWE_UNEXPECTED', () => 'AAAA.AAAA.AAAA.AAAA.AAAA'],
  'iss a list': ['OIDC_CLAIM_ISS', (head, claims, key) => forge(head, { ...claims, iss: [claims.iss] }, key)],
  'aud null': ['OIDC_CLAIM_AUD', (head, claims, key) => forge(head, { ...claims, aud: null }, key)],
};

const kinds: Record<string, (op: FakeOp, attack: Attack) => Promise<unknown>> = {
  'an ID Token': async (op, attack) => op.relyingParty().validateIdToken(await made(op, attack, {}), { nonce: undefined }),
  'a logout token': async (op, attack) => {
    const claims = { jti: '1', sid: 's', events: { 'http://schemas.openid.net/event/backchannel-logout': {} } };
    return op.relyingParty().readBackChannelLogout(postLogout(await made(op, attack, claims)));
  },
  'signed UserInfo': async (op, attack) => {
    op.faults.userInfo = async () => new Response(await made(op, attack, {}), { headers: { 'content-type': 'application/jwt' } });
    const signIn = {
      identity: { issuer: op.issuer, subject: op.subject },
      tokens: { accessToken: 'a', tokenType: 'Bearer', idToken: 'x' },
    } as const;
    return op.relyingParty({ userInfoAlgorithms: ['RS256'] }).fetchUserInfo(signIn);
  },
};

async function made(op: FakeOp, attack: Attack, claims: Json): Promise<string> {
  const key = op.keys[0]!;
  return attack({ alg: key.alg, kid: key.kid }, op.claims(claims), key, op);
}

const cases = Object.keys(kinds).flatMap(kind => Object.keys(attacks).map(attack => [kind, attack] as const));

test.each(cases)('refuses %s with %s', async (kind, attack) => {
  const op = await FakeOp.start();
  const [code, forged] = attacks[attack]!;
  await kinds[kind]!(op, (head, claims, key) => forge(head, claims, key));
  expect((await errorOf(kinds[kind]!(op, forged))).code).toBe(code);
  expect(op.strangers).toEqual([]);
});
