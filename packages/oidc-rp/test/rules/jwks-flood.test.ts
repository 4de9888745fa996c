import { describe, expect, test } from 'vitest';
import type { RelyingParty } from '../../src/index.ts';
import { errorOf, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { createKey, forge } from '../support/forge.ts';

test('fetches the keys once for 1,000 verifications at once', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const token = await op.sign(op.claims());
  const verdicts = await Promise.all(Array.from({ length: 1_000 }, () => rp.validateIdToken(token, { nonce: undefined })));
  expect(verdicts).toHaveLength(1_000);
  expect(op.requests).toEqual([`GET ${op.issuer}/.well-known/openid-configuration`, `GET ${op.issuer}/jwks`]);
});

test('fetches the keys once for 20 sign-ins at once', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  await Promise.all(Array.from({ length: 20 }, () => signInAt(op, {}, rp)));
  expect(op.asked('/jwks')).toBe(1);
  expect(op.asked('/openid-configuration')).toBe(1);
});

test('fetches at most 4 times for 10,000 invented key ids in 10 s, while valid tokens pass', async () => {
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

test('finds a rotated key within 5 s after a flood', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const forged = await forge({ alg: 'RS256', kid: 'invented' }, op.claims(), op.keys[0]!);
  for (let at = 0; at < 100; at += 1) await errorOf(rp.validateIdToken(forged, { nonce: undefined }));
  op.keys = [await createKey()];
  op.advance(5);
  expect((await rp.validateIdToken(await op.sign(op.claims()), { nonce: undefined })).sub).toBe('sub-1');
});

describe('invented key ids that never stop', () => {
  /** A minute or more of them, one a second. @returns when the key set was asked for, in seconds from the start */
  async function flooded(op: FakeOp, send: () => Promise<unknown>, seconds: number): Promise<number[]> {
    const [times, before] = [[] as number[], op.asked('/jwks')];
    for (let second = 0; second < seconds; second += 1) {
      await send();
      while (before + times.length < op.asked('/jwks')) times.push(second);
      op.advance(1);
    }
    return times;
  }

  async function primed() {
    const op = await FakeOp.start();
    const rp = op.relyingParty();
    await rp.validateIdToken(await op.sign(op.claims()), { nonce: undefined });
    let made = 0;
    const invented = async () =>
      errorOf(
        rp.validateIdToken(await forge({ alg: 'RS256', kid: `made-${++made}` }, op.claims(), op.keys[0]!), { nonce: undefined }),
      );
    return { op, rp, invented, validate: async () => rp.validateIdToken(await op.sign(op.claims()), { nonce: undefined }) };
  }

  test('cause fewer and fewer fetches, but one at least every 40 s', async () => {
    const { op, invented } = await primed();
    expect(await flooded(op, invented, 240)).toEqual([0, 5, 15, 35, 75, 115, 155, 195, 235]);
  });

  test('delay a new key no longer than that, and the next one not at all', async () => {
    const { op, invented, validate } = await primed();
    await flooded(op, invented, 76);
    op.keys = [await createKey('RS256', 'rotated')];
    const asked = await flooded(op, invented, 40);
    expect(asked).toEqual([39]);
    expect((await validate()).sub).toBe('sub-1');
    op.advance(5);
    op.keys = [await createKey('RS256', 'rotated-again')];
    expect((await validate()).sub).toBe('sub-1');
  });

  test('do not delay a sign-in with a new key', async () => {
    const { op, rp, invented } = await primed();
    await flooded(op, invented, 78);
    op.keys = [await createKey('RS256', 'rotated')];
    expect((await signInAt(op, {}, rp)).identity.subject).toBe('sub-1');
  });

  test('cause a fetch at once after a quiet time', async () => {
    const { op, invented } = await primed();
    await flooded(op, invented, 76);
    op.advance(81);
    const before = op.asked('/jwks');
    await invented();
    op.advance(5);
    await invented();
    expect(op.asked('/jwks')).toBe(before + 2);
  });

  test('are limited too if they have no id and a wrong signature', async () => {
    const { op, rp } = await primed();
    const forged = async () => {
      const token = (await op.sign(op.claims(), { kid: undefined })).replace(/[^.]{8}$/, 'AAAAAAAA');
      return errorOf(rp.validateIdToken(token, { nonce: undefined }));
    };
    expect(await flooded(op, forged, 120)).toEqual([0, 5, 15, 35, 75, 115]);
  });

  async function postLogout(rp: RelyingParty, token: string): Promise<Response> {
    const body = new URLSearchParams({ logout_token: token });
    return rp.answerBackChannelLogout(new Request('https://rp.example/logout', { method: 'POST', body }), () => {});
  }

  test('in logout tokens are answered 503, not refused, if no fetch was made for them', async () => {
    const { op, rp } = await primed();
    const statuses: number[] = [];
    const post = async () => {
      statuses.push((await postLogout(rp, await op.logoutToken({}, { kid: 'invented' }))).status);
    };
    const asked = await flooded(op, post, 120);
    expect(asked).toEqual([0, 5, 15, 35, 75, 115]);
    expect(statuses).toEqual(statuses.map((_, second) => (asked.includes(second) ? 400 : 503)));
  });

  test('make a genuine logout by a new key wait: 503 with Retry-After, then 200', async () => {
    const { op, rp, invented } = await primed();
    await flooded(op, invented, 78);
    op.keys = [await createKey('RS256', 'rotated')];
    const token = await op.logoutToken();
    const early = await postLogout(rp, token);
    expect([early.status, early.headers.get('retry-after'), early.headers.get('cache-control')]).toEqual([503, '37', 'no-store']);
    expect(await early.json()).toEqual({ error: 'temporarily_unavailable', error_description: 'OIDC_KEY_UNKNOWN' });
    op.advance(36);
    expect((await postLogout(rp, token)).status).toBe(503);
    op.advance(1);
    expect((await postLogout(rp, token)).status).toBe(200);
  });

  test('are an outage if no fetch was made for them, and refused if the newest set lacks the key', async () => {
    const { op, invented } = await primed();
    expect(await invented()).toMatchObject({ code: 'OIDC_KEY_UNKNOWN', status: 403, retryAfterSeconds: undefined });
    op.advance(1.5);
    expect(await invented()).toMatchObject({ code: 'OIDC_KEY_UNKNOWN', status: 503, retryAfterSeconds: 4 });
    op.advance(3.5);
    expect(await invented()).toMatchObject({ code: 'OIDC_KEY_UNKNOWN', status: 403 });
  });

  test('let a sign-in be tried again once the bucket has a token', async () => {
    const { op, rp } = await primed();
    const signIn = async () => {
      op.keys = [await createKey('RS256', `rotated-${op.requests.length}`)];
      op.faults.jwks = () => ({ keys: [] });
      return errorOf(signInAt(op, {}, rp));
    };
    expect((await signIn()).status).toBe(403);
    expect(await signIn()).toMatchObject({ code: 'OIDC_KEY_UNKNOWN', status: 503, retryAfterSeconds: 5 });
  });
});
