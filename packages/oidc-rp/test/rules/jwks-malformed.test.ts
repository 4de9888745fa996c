import { expect, test } from 'vitest';
import { errorOf, expectRefused, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const json = (text: string, contentType = 'application/json', status = 200) =>
  new Response(text, { status, headers: { 'content-type': contentType } });

test.each([
  ['no list of keys', () => json('{"keys":{}}'), 'OIDC_JWKS_INVALID'],
  ['no keys at all', () => json('{}'), 'OIDC_JWKS_INVALID'],
  ['101 keys', () => json(JSON.stringify({ keys: Array(101).fill({}) })), 'OIDC_JWKS_INVALID'],
  ['more than 256 kB', () => json(JSON.stringify({ keys: [], filler: 'x'.repeat(262_144) })), 'OIDC_HTTP_TOO_LARGE'],
  ['an empty list', () => json('{"keys":[]}'), 'OIDC_KEY_UNKNOWN'],
  [
    'a redirect',
    () => new Response(null, { status: 302, headers: { location: 'https://evil.example/jwks' } }),
    'OIDC_HTTP_REDIRECT',
  ],
  ['a web page', () => json('<html>', 'text/html'), 'OIDC_HTTP_CONTENT_TYPE'],
  ['JSON that is called a web page', () => json('{"keys":[]}', 'text/html'), 'OIDC_HTTP_CONTENT_TYPE'],
  ['an error', () => json('{"keys":[]}', 'application/json', 500), 'OIDC_HTTP_STATUS'],
  ['no JSON', () => json('{"keys":['), 'OIDC_JSON_INVALID'],
  ['a list twice', () => json('{"keys":[],"keys":[]}'), 'OIDC_JSON_DUPLICATE_MEMBER'],
] as const)('refuses a key set that is %s', async (_fault, answer, code) => {
  await expectRefused(code, { jwks: answer });
});

test('does not fetch a broken key set again and again', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  op.faults.jwks = () => json('{}');
  for (let at = 0; at < 50; at += 1) expect((await errorOf(signInAt(op, {}, rp))).code).toBe('OIDC_JWKS_INVALID');
  expect(op.asked('/jwks')).toBe(2);
  op.advance(5);
  op.faults = {};
  await signInAt(op, {}, rp);
});

test('reads a key set of type application/jwk-set+json', async () => {
  const op = await FakeOp.start();
  op.faults.jwks = set => json(JSON.stringify(set), 'application/jwk-set+json; charset=utf-8');
  await signInAt(op);
});
