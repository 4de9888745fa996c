import { describe, expect, test } from 'vitest';
import type { RelyingParty } from '../../src/index.ts';
import { errorOf, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { createKey, forge } from '../support/forge.ts';

test('1,000 verifications at once on a cold relying party fetch the keys once', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const token = await op.sign(op.claims());
  const verdicts = await Promise.all(Array.from({ length: 1_000 }, () => rp.validateIdToken(token, { nonce: undefined })));
  expect(verdicts).toHaveLength(1_000);
  expect(op.requests).toEqual([`GET ${op.issuer}/.well-known/openid-configuration`, `GET ${op.issuer}/jwks`]);
});

test('20 cold sign-ins at once fetch the keys once', async () => {
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

  test('are asked about less and less, though never less than every 40 s', async () => {
    const { op, invented } = await primed();
    expect(await flooded(op, invented, 240)).toEqual([0, 5, 15, 35, 75, 115, 155, 195, 235]);
  });

  test('a true new key waits for no longer than that, and one is asked for at once again after it', async () => {
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

  test('whoever signs in with a new key meanwhile waits for nothing', async () => {
    const { op, rp, invented } = await primed();
    await flooded(op, invented, 78);
    op.keys = [await createKey('RS256', 'rotated')];
    expect((await signInAt(op, {}, rp)).identity.subject).toBe('sub-1');
  });

  test('after a quiet time the first one is asked about at once', async () => {
    const { op, invented } = await primed();
    await flooded(op, invented, 76);
    op.advance(81);
    const before = op.asked('/jwks');
    await invented();
    op.advance(5);
    await invented();
    expect(op.asked('/jwks')).toBe(before + 2);
  });

  test('so are those without an id whose signature does not verify', async () => {
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

  test('logout tokens, too, which anybody may post: those that nobody was asked about are not refused for good', async () => {
    const { op, rp } = await primed();
    const statuses: number[] = [];
    const post = async () => {
      statuses.push((await postLogout(rp, await op.logoutToken({}, { kid: 'invented' }))).status);
    };
    const asked = await flooded(op, post, 120);
    expect(asked).toEqual([0, 5, 15, 35, 75, 115]);
    expect(statuses).toEqual(statuses.map((_, second) => (asked.includes(second) ? 400 : 503)));
  });

  test('a true logout by a new key meanwhile is answered 503 with the time to try again, and is good then', async () => {
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

  test('a token that nobody was asked about is an outage, one that the newest set lacks is refused', async () => {
    const { op, invented } = await primed();
    expect(await invented()).toMatchObject({ code: 'OIDC_KEY_UNKNOWN', status: 403, retryAfterSeconds: undefined });
    op.advance(1.5);
    expect(await invented()).toMatchObject({ code: 'OIDC_KEY_UNKNOWN', status: 503, retryAfterSeconds: 4 });
    op.advance(3.5);
    expect(await invented()).toMatchObject({ code: 'OIDC_KEY_UNKNOWN', status: 403 });
  });

  test('a sign-in for which the bucket is empty may be tried again when there is one more', async () => {
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
