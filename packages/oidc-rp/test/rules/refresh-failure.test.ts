import { expect, test } from 'vitest';
import { endsSession } from '../../src/index.ts';
import { errorOf, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

async function failingWith(answer: () => Response) {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const signIn = await signInAt(op, {}, rp);
  op.faults.token = answer;
  return { op, rp, signIn, error: await errorOf(rp.refresh(signIn)) };
}

test('invalid_grant ends the session', async () => {
  const { error } = await failingWith(() => Response.json({ error: 'invalid_grant' }, { status: 400 }));
  expect([error.code, error.providerError, endsSession(error)]).toEqual(['OIDC_REFRESH_REFUSED', 'invalid_grant', true]);
});

test.each([
  ['a provider that is down', () => new Response('', { status: 503 }), 'OIDC_HTTP_STATUS'],
  ['a client that is refused', () => Response.json({ error: 'invalid_client' }, { status: 401 }), 'OIDC_TOKEN_ERROR'],
  [
    'a network that fails',
    () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) });
    },
    'OIDC_HTTP_NETWORK',
  ],
] as const)('%s keeps the session, and the next try is a new one', async (_fault, answer, code) => {
  const { op, rp, signIn, error } = await failingWith(answer);
  expect([error.code, endsSession(error)]).toEqual([code, false]);
  op.faults = {};
  expect((await rp.refresh(signIn)).identity).toEqual(signIn.identity);
});

test('a session without a refresh token cannot be refreshed', async () => {
  const { rp, signIn, op } = await failingWith(() => new Response('', { status: 503 }));
  const { refreshToken: _, ...tokens } = signIn.tokens;
  const before = op.requests.length;
  expect(endsSession(await errorOf(rp.refresh({ ...signIn, tokens })))).toBe(true);
  expect(op.requests).toHaveLength(before);
});
