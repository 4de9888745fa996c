import { expect, test } from 'vitest';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { forge } from '../support/forge.ts';

test('1,000 verifications at once on a cold relying party fetch the keys once', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const token = await op.sign(op.claims());
  const verdicts = await Promise.all(Array.from({ length: 1_000 }, () => rp.validateIdToken(token, { nonce: undefined })));
  expect(verdicts).toHaveLength(1_000);
  expect(op.requests).toEqual([`GET ${op.issuer}/.well-known/openid-configuration`, `GET ${op.issuer}/jwks`]);
});

test('20 cold sign-ins at once fetch the keys once', async () => {
  const { signInAt } = await import('../support/expect-refused.ts');
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  await Promise.all(Array.from({ length: 20 }, () => signInAt(op, {}, rp)));
  expect(op.asked('/jwks')).toBe(1);
  expect(op.asked('/openid-configuration')).toBe(1);
});

test('10,000 invented key ids within 10 s cost at most 4 fetches, and good tokens do not notice', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const good = await op.sign(op.claims());
  const [head, payload, signature] = good.split('.');
  expect(head).toBeTruthy();
  for (let second = 0; second < 10; second += 1) {
    const forged = Array.from({ length: 1_000 }, (_, at) => {
      const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: `invented-${second}-${at}` })).toString('base64url');
      return errorOf(rp.validateIdToken(`${header}.${payload}.${signature}`, { nonce: undefined }));
    });
    expect((await rp.validateIdToken(good, { nonce: undefined })).sub).toBe('sub-1');
    expect(new Set((await Promise.all(forged)).map(error => error.code))).toEqual(new Set(['OIDC_KEY_UNKNOWN']));
    op.advance(1);
  }
  expect(op.asked('/jwks')).toBeLessThanOrEqual(4);
  expect(op.strangers).toEqual([]);
});

test('after a flood a rotated key is known within five seconds', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const forged = await forge({ alg: 'RS256', kid: 'invented' }, op.claims(), op.keys[0]!);
  for (let at = 0; at < 100; at += 1) await errorOf(rp.validateIdToken(forged, { nonce: undefined }));
  const { createKey } = await import('../support/forge.ts');
  op.keys = [await createKey()];
  op.advance(5);
  expect((await rp.validateIdToken(await op.sign(op.claims()), { nonce: undefined })).sub).toBe('sub-1');
});
