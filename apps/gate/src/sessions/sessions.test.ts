import { openStore, type SignInStore } from '@octavo/sign-in-store';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readEmail } from '../model/email.ts';
import type { SignedIn } from '../sign-in/door.ts';
import { Sealer } from './seal.ts';
import { Sessions } from './sessions.ts';

const [one, next] = ['the first key of these tests, long enough', 'the next key of these tests, long enough'];
const hour = 3_600_000;
let ms = 0;
const now = () => new Date(ms);
let store: SignInStore;
let sessions: Sessions;

beforeAll(async () => {
  store = await openStore('sqlite::memory:', { now });
});

beforeEach(() => {
  ms = 1_700_000_000_000;
  sessions = new Sessions(store, new Sealer([one]), { lifetimeSeconds: 8 * 3600, idleSeconds: 3600 }, now);
});

afterAll(() => store.close());

const signedIn = (more: Partial<SignedIn> = {}): SignedIn => ({
  identity: {
    provider: 'corp',
    issuer: 'https://op.example',
    subject: 'ada',
    email: readEmail('ada@example.org'),
    isEmailTrusted: true,
    isEmailVerified: false,
    name: 'Ada',
    groups: ['staff'],
    claims: {},
  },
  subjectKey: `ada ${crypto.randomUUID()}`,
  providerSession: undefined,
  signedInAt: now(),
  authenticatedAt: new Date(ms - 60_000),
  endsAt: undefined,
  refreshAt: undefined,
  record: { tokens: 'hush' },
  ...more,
});

async function create(more: Partial<SignedIn> = {}, replaces?: string) {
  const created = await sessions.create(signedIn(more), replaces);
  if (created === undefined) throw new Error('no session');
  return created;
}

describe('a session', () => {
  test('is what the sign-in said, and its cookie says nothing', async () => {
    const all = signedIn({ refreshAt: ms + 5 });
    const { cookie, id } = await create(all);
    const { identity, subjectKey, authenticatedAt, refreshAt, record } = all;
    const times = { createdAt: now(), endsAt: new Date(ms + hour), expiresAt: new Date(ms + 8 * hour) };
    const found = await sessions.find(id);
    expect(found).toEqual({
      id,
      key: expect.any(String),
      identity,
      subjectKey,
      authenticatedAt,
      refreshAt,
      record,
      version: 1,
      ...times,
    });
    expect(sessions.readCookie([cookie])).toEqual({ cookie, id });
    expect(cookie).not.toContain(id);
    expect(id).toMatch(/^[\w-]{43}$/);
    const { id: _, ...keyed } = found!;
    expect(await sessions.findByKey(found!.key)).toEqual(keyed);
  });

  test('without an address has none', async () => {
    const { id } = await create({ identity: { ...signedIn().identity, email: undefined } });
    expect((await sessions.find(id))?.identity.email).toBeUndefined();
  });

  test('ends when its provider says, if that is sooner', async () => {
    for (const [endsAt, expiresAt] of [
      [ms + hour, ms + hour],
      [ms + 9 * hour, ms + 8 * hour],
    ] as const)
      expect((await sessions.find((await create({ endsAt: new Date(endsAt) })).id))?.expiresAt).toEqual(new Date(expiresAt));
  });

  test('is not stored in the clear', async () => {
    const { id } = await create();
    const stored = await store.findSession(id);
    expect(stored?.value).not.toMatch(/ada|hush|\{/);
  });

  test('ends in the step in which another replaces it, and never one that was not asked for', async () => {
    const [first, other] = [await create(), await create()];
    const { id } = await create({}, first.id);
    expect(await sessions.find(first.id)).toBeUndefined();
    expect(await sessions.find(other.id)).toBeDefined();
    expect(await sessions.find(id)).toBeDefined();
  });

  test('is none after a logout that overtook the sign-in', async () => {
    const all = signedIn({ providerSession: 'sid-1' });
    await store.endSessions({ issuer: 'https://op.example', providerSessions: ['sid-1'], at: now() });
    expect(await sessions.create(all, undefined)).toBeUndefined();
    expect(await sessions.create({ ...all, providerSession: undefined }, undefined)).toBeDefined();
  });

  test('that ended says once what it was, for the sign-out at its provider', async () => {
    const all = signedIn();
    const { id } = await create(all);
    const ended = await sessions.end(id);
    expect(ended).toMatchObject({ id, identity: all.identity, record: all.record, version: 0, createdAt: now() });
    expect([ended?.endsAt, ended?.expiresAt]).toEqual([now(), now()]);
    expect(await sessions.end(id)).toBeUndefined();
    expect(await sessions.find(id)).toBeUndefined();
    const other = await create();
    await sessions.endByKey((await sessions.find(other.id))!.key);
    expect(await sessions.find(other.id)).toBeUndefined();
  });

  test('changes once for each version, and keeps when the person proved who they are', async () => {
    const all = signedIn();
    const found = (await sessions.find((await create(all)).id))!;
    const renewed = { identity: { ...all.identity, groups: ['guests'] }, record: { tokens: 'new' }, refreshAt: ms + 7 };
    expect(await sessions.change(found, renewed)).toBe(true);
    expect(await sessions.change(found, { ...renewed, record: {} })).toBe(false);
    const { authenticatedAt } = all;
    expect(await sessions.find(found.id)).toMatchObject({ ...renewed, authenticatedAt, version: 2 });
  });

  test('whose provider is trusted for other domains by now counts with those', async () => {
    const { id } = await create();
    sessions.trustedDomains = provider => (provider === 'corp' ? [] : ['example.org']);
    sessions.sealer = new Sealer([one]);
    expect((await sessions.find(id))?.identity.isEmailTrusted).toBe(false);
    sessions.trustedDomains = provider => (provider === 'corp' ? ['example.org'] : []);
    sessions.sealer = new Sealer([one]);
    expect((await sessions.find(id))?.identity.isEmailTrusted).toBe(true);
  });

  test('of a provider that is gone stays as it is', async () => {
    const { id } = await create();
    sessions.trustedDomains = () => undefined;
    expect((await sessions.find(id))?.identity.isEmailTrusted).toBe(true);
  });
});

describe('a session of an older program', () => {
  test('that did not keep when the person proved who they are counts from its beginning', async () => {
    const { identity, record } = signedIn();
    const { email, ...rest } = identity;
    const id = 'i'.repeat(43);
    const value = new Sealer([one]).seal(
      JSON.stringify({ identity: { ...rest, email: email?.address }, record }),
      'session value',
    );
    const times = { signedInAt: now(), idleSeconds: 3600, expiresAt: new Date(ms + hour) };
    await store.createSession({ id, issuer: identity.issuer, subject: 'ada', ...times, value });
    expect(await sessions.find(id)).toMatchObject({ identity, authenticatedAt: now(), refreshAt: undefined });
  });
});

describe('cookies', () => {
  test('the last four are looked at, and the first of them that is ours counts', async () => {
    const [first, second] = [await create(), await create()];
    expect(sessions.readCookie(['x', 'y', 'z', first.cookie])?.id).toBe(first.id);
    expect(sessions.readCookie(['w', 'x', 'y', 'z', first.cookie])?.id).toBe(first.id);
    expect(sessions.readCookie([first.cookie, 'w', 'x', 'y', 'z'])).toBeUndefined();
    expect(sessions.readCookie([second.cookie, first.cookie])?.id).toBe(second.id);
    expect(sessions.readCookie([])).toBeUndefined();
  });

  test('nothing else that we sealed is a session', () => {
    const sealer = new Sealer([one]);
    for (const purpose of ['session value', 'sign-in under way', ''])
      expect(sessions.readCookie([sealer.seal('i'.repeat(43), purpose)])).toBeUndefined();
  });

  test('by an old key are read and sealed anew, by a removed one not', async () => {
    const { cookie, id } = await create();
    sessions.readCookie([cookie]);
    expect([sessions.isCurrent(cookie), sessions.resealed(cookie, id)]).toEqual([true, undefined]);
    sessions.sealer = new Sealer([next, one]);
    // Nothing is known of it yet.
    expect(sessions.isCurrent(cookie)).toBe(false);
    expect(new Sealer([next]).open(sessions.resealed(cookie, id) ?? '', 'session cookie')).toBe(id);
    expect(sessions.readCookie([cookie])).toEqual({ cookie, id });
    expect(sessions.isCurrent(cookie)).toBe(false);
    expect(new Sealer([next]).open(sessions.resealed(cookie, id) ?? '', 'session cookie')).toBe(id);
    sessions.sealer = new Sealer([next]);
    expect(sessions.readCookie([cookie])).toBeUndefined();
    expect(await sessions.find(id)).toBeUndefined();
  });
});

describe('what the store remembers', () => {
  test('is the same session, as long as nothing changed', async () => {
    const { id } = await create();
    expect(sessions.recall('i'.repeat(43))).toBeUndefined();
    const found = (await sessions.find(id))!;
    const recalled = sessions.recall(id);
    expect(recalled).toEqual(found);
    expect(sessions.recall(id)).toBe(recalled);
    await sessions.change(found, { ...found, record: { tokens: 'new' } });
    await sessions.find(id);
    expect(sessions.recall(id)?.record).toEqual({ tokens: 'new' });
    sessions.sealer = new Sealer([next]);
    expect(sessions.recall(id)).toBeUndefined();
  });
});

test('one process at a time may refresh a session, for 20 seconds or until it is done', async () => {
  const key = crypto.randomUUID();
  const claim = () => sessions.claimRefresh(key);
  expect([await claim(), await claim(), await sessions.claimRefresh(`${key}2`)]).toEqual([true, false, true]);
  ms += 19_999;
  expect(await claim()).toBe(false);
  ms += 1;
  expect(await claim()).toBe(true);
  await sessions.releaseRefresh(key);
  expect(await claim()).toBe(true);
});
