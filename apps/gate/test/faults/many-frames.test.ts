import { openStore } from '@octavo/sign-in-store';
import { expect, test } from 'vitest';
import { corp, startGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';

// Front-channel logout is a page that anyone can open, with any session id.

test('does not fill the store with a flood of front-channel logouts, and still ends the session of a genuine one', async () => {
  const rules = [{ paths: ['/**'], allow: 'signed-in' }];
  await using first = await startGate({ providers: [corp], rules });
  const store = await openStore(first.store, { limits: { maxTombstones: 3 } });
  await using gate = await startGate({ providers: [corp], rules }, { store: first.store, overrides: { store } });
  const frame = async (sid: string) =>
    (await gate.fetch(`/gate/corp/frontchannel-logout?${new URLSearchParams({ iss: corp.issuer, sid })}`)).status;
  for (let one = 0; one < 10; one += 1) expect(await frame(`invented-${one}`)).toBe(200);
  const isRemembered = async (sid: string) =>
    !(await store.createSession({
      id: crypto.randomUUID(),
      issuer: corp.issuer,
      subject: 'ada',
      providerSession: sid,
      signedInAt: new Date(),
      idleSeconds: 60,
      expiresAt: new Date(Date.now() + 60_000),
      value: 'x',
    }));
  expect(await isRemembered('invented-0')).toBe(true);
  expect(await isRemembered('invented-9')).toBe(false);
  const cookie = await sessionCookie(gate, {}, {}, undefined, 'true-one');
  const status = async () => (await gate.fetch('/gate/me', { headers: { cookie } })).status;
  expect([await status(), await frame('true-one'), await status()]).toEqual([200, 200, 401]);
  await store.close();
});
