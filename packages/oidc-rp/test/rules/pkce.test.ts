import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createPkce, type PendingSignIn } from '../../src/index.ts';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test('creates a new verifier of 43 unreserved characters each time', async () => {
  const environment = { randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
  const pairs = await Promise.all(Array.from({ length: 100 }, () => createPkce(environment)));
  for (const { verifier } of pairs) expect(verifier).toMatch(/^[A-Za-z0-9._~-]{43}$/);
  expect(new Set(pairs.map(pair => pair.verifier)).size).toBe(100);
});

test('computes the S256 challenge of RFC 7636, Appendix B', async () => {
  const octets = Buffer.from('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', 'base64url');
  expect(await createPkce({ randomBytes: () => octets })).toEqual({
    verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  });
});

test('keeps the verifier out of the address, and uses S256 for every kind of client', async () => {
  const op = await FakeOp.start();
  for (const clientAuthentication of [{ method: 'none' }, { method: 'client_secret_post', secret: op.secret }] as const) {
    const rp = op.relyingParty({ clientAuthentication });
    const { url, pending } = await rp.startSignIn();
    expect(url.searchParams.get('code_challenge_method')).toBe('S256');
    expect(url.searchParams.get('code_challenge')).toBe(createHash('sha256').update(pending.codeVerifier).digest('base64url'));
    await rp.finishSignIn(op.authorize(url), pending);
    expect([...op.requests, url.href].some(address => address.includes(pending.codeVerifier))).toBe(false);
    expect(op.bodies.some(body => body.get('code_verifier') === pending.codeVerifier)).toBe(true);
  }
});

test('the provider refuses a code injected into another sign-in', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const victim = await rp.startSignIn();
  const attacker = await rp.startSignIn();
  const stolen = new URL(op.authorize(victim.url)).searchParams.get('code')!;
  const address = new URL(op.authorize(attacker.url));
  address.searchParams.set('code', stolen);
  const error = await errorOf(rp.finishSignIn(address, attacker.pending as PendingSignIn));
  expect([error.code, error.providerError]).toEqual(['OIDC_TOKEN_ERROR', 'invalid_grant']);
});
