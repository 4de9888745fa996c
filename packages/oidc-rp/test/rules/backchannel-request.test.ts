import { expect, test } from 'vitest';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const address = 'https://rp.example/backchannel';

async function post(change: (body: URLSearchParams, init: RequestInit) => void) {
  const op = await FakeOp.start();
  const body = new URLSearchParams({ logout_token: await op.logoutToken() });
  const init: RequestInit = { method: 'POST', body };
  change(body, init);
  const ended: unknown[] = [];
  const response = await op.relyingParty().answerBackChannelLogout(new Request(address, init), logout => void ended.push(logout));
  return { response, ended };
}

test('ends the session for a form with one logout token: 200, not cached', async () => {
  const { response, ended } = await post(() => undefined);
  expect([response.status, response.headers.get('cache-control'), await response.text()]).toEqual([200, 'no-store', '']);
  expect(ended).toMatchObject([{ issuer: 'https://op.example', subject: 'sub-1', sid: 'session-1' }]);
});

test.each([
  ['no token', (body: URLSearchParams) => body.delete('logout_token')],
  ['two tokens', (body: URLSearchParams) => body.append('logout_token', 'a.b.c')],
  ['64 kB', (body: URLSearchParams) => body.set('filler', 'x'.repeat(70_000))],
  [
    'JSON',
    (body: URLSearchParams, init: RequestInit) =>
      Object.assign(init, { body: JSON.stringify(Object.fromEntries(body)), headers: { 'content-type': 'application/json' } }),
  ],
  [
    'bytes that are not UTF-8',
    (_: URLSearchParams, init: RequestInit) =>
      Object.assign(init, { body: new Uint8Array([0xff]), headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  ],
])('answers 400 to a request with %s, and ends nothing', async (_fault, change) => {
  const { response, ended } = await post(change as never);
  expect([response.status, response.headers.get('cache-control'), ended]).toEqual([400, 'no-store', []]);
});

test.each(['GET', 'PUT', 'HEAD'])('answers 405 with Allow to %s, and ends nothing', async method => {
  const op = await FakeOp.start();
  const ended: unknown[] = [];
  const url = `${address}?logout_token=${await op.logoutToken()}`;
  const rp = op.relyingParty();
  const response = await rp.answerBackChannelLogout({ method, url }, logout => void ended.push(logout));
  expect([response.status, response.headers.get('allow'), response.headers.get('cache-control'), ended]).toEqual([
    405,
    'POST',
    'no-store',
    [],
  ]);
  expect(await errorOf(rp.readBackChannelLogout({ method, url }))).toMatchObject({ code: 'OIDC_LOGOUT_REQUEST', status: 405 });
});

test('answers 200 for an unknown session', async () => {
  const { response } = await post(() => undefined);
  expect(response.status).toBe(200);
});
