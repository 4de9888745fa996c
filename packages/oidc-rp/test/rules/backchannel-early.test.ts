import { expect, test } from 'vitest';
import { LogoutTombstones } from '../../src/index.ts';
import { postLogout, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

async function buried(changes: Record<string, unknown>) {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const tombstones = new LogoutTombstones({ now: () => new Date(op.nowMs) });
  await rp.answerBackChannelLogout(postLogout(await op.logoutToken(changes)), logout => tombstones.bury(logout));
  return { op, rp, tombstones };
}

test('remembers a logout that overtakes its sign-in until the session would be stored', async () => {
  const { op, rp, tombstones } = await buried({ sub: undefined });
  expect(tombstones.covers((await signInAt(op, {}, rp)).claims)).toBe(true);
});

test('keeps another session of the same person', async () => {
  const { op, rp, tombstones } = await buried({ sid: 'session-2' });
  expect(tombstones.covers((await signInAt(op, {}, rp)).claims)).toBe(false);
});

test("without a session id, ends all the person's sessions except later ones and those at another issuer", async () => {
  const { op, rp, tombstones } = await buried({ sid: undefined });
  const { claims } = await signInAt(op, {}, rp);
  expect(tombstones.covers(claims)).toBe(true);
  expect(tombstones.covers({ ...claims, iss: 'https://other.example' })).toBe(false);
  op.advance(1);
  expect(tombstones.covers((await signInAt(op, {}, rp)).claims)).toBe(false);
});

test('keeps the latest logout of a person, whatever order they arrive in', async () => {
  const tombstones = new LogoutTombstones({ now: () => new Date(100_000) });
  const person = { issuer: 'https://op.example', subject: 'sub-1', sid: undefined };
  for (const issuedAt of [90, 50]) tombstones.bury({ ...person, issuedAt });
  const claims = { iss: person.issuer, sub: person.subject };
  expect([90, 91].map(iat => tombstones.covers({ ...claims, iat }))).toEqual([true, false]);
});

test('forgets tombstones once no sign-in can be that slow', async () => {
  const { op, tombstones } = await buried({});
  const claims = { iss: op.issuer, sub: 'sub-1', sid: 'session-1', iat: op.now };
  op.advance(899);
  expect(tombstones.covers(claims)).toBe(true);
  op.advance(1);
  expect(tombstones.covers(claims)).toBe(false);
});

test("remembers a repeated logout from its last arrival, and uses the platform's clock by default", () => {
  let seconds = 1_000;
  const tombstones = new LogoutTombstones({ now: () => new Date(seconds * 1_000) }, 60);
  const logout = { issuer: 'https://op.example', subject: 'sub-1', sid: undefined, issuedAt: 1_000 };
  const other = { ...logout, subject: 'sub-2' };
  const claims = { iss: 'https://op.example', sub: 'sub-1', iat: 1_000 };
  tombstones.bury(logout);
  tombstones.bury(other);
  seconds += 30;
  tombstones.bury(logout);
  seconds += 59;
  expect(tombstones.covers(claims)).toBe(true);
  expect(tombstones.covers({ ...claims, iat: 1_001 })).toBe(false);
  expect(tombstones.covers({ ...claims, sub: 'sub-2' })).toBe(false);
  seconds += 1;
  expect(tombstones.covers(claims)).toBe(false);

  const now = Math.floor(Date.now() / 1_000);
  const usual = new LogoutTombstones();
  usual.bury({ ...logout, issuedAt: now });
  expect(usual.covers({ ...claims, iat: now })).toBe(true);
});
