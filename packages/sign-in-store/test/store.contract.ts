import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NewSession, openStore, type SignInStore, StoreError, type StoreLimits } from '../src/index.ts';
import type { TestDatabase } from './support/databases.ts';
import { dumpTables } from './support/dump-tables.ts';

/** Every promise of `SignInStore`, for any engine. */
export function storeContract(openDatabase: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let clock = Date.parse('2026-06-01T12:00:00Z');
  const stores: SignInStore[] = [];
  const at = (seconds: number): Date => new Date(clock + seconds * 1000);
  const key = (): string => `test:${randomUUID()}`;

  beforeAll(async () => {
    database = await openDatabase();
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await database?.[Symbol.asyncDispose]();
  });

  async function open(limits: Partial<StoreLimits> = {}): Promise<SignInStore> {
    const store = await openStore(database.address, { limits, now: () => new Date(clock) });
    stores.push(store);
    return store;
  }

  const inUse = (name: string) =>
    expect.objectContaining({
      code: 'STORE_INVALID',
      status: 500,
      message: expect.stringContaining(`this ${name} is in use already`),
    });

  const session = (more: Partial<NewSession> = {}): NewSession => ({
    id: randomUUID(),
    issuer: `https://op.example/${randomUUID()}`,
    subject: 'ada',
    providerSession: randomUUID(),
    signedInAt: at(0),
    idleSeconds: 3600,
    expiresAt: at(28_800),
    value: '{"name":"Ada"}',
    ...more,
  });

  describe('replay claims', () => {
    test('the first claim holds, later ones do not, also from another connection', async () => {
      const [one, two] = [await open(), await open()];
      const name = key();
      expect(await one.replay.claim(name, at(60))).toBe(true);
      expect(await one.replay.claim(name, at(60))).toBe(false);
      expect(await two.replay.claim(name, at(3600))).toBe(false);
    });

    test('of fifty claims at once exactly one holds', async () => {
      const [one, two] = [await open(), await open()];
      const name = key();
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => (n % 2 ? one : two).replay.claim(name, at(60))));
      expect(answers.filter(Boolean)).toHaveLength(1);
    });

    test('a released claim can be taken again, an expired one too', async () => {
      const store = await open();
      const name = key();
      await store.replay.claim(name, at(60));
      await store.replay.release(name);
      expect(await store.replay.claim(name, at(60))).toBe(true);
      clock += 60_000;
      expect(await store.replay.claim(name, at(60))).toBe(true);
      expect(await store.replay.claim(name, at(60))).toBe(false);
    });

    test('keys keep their case and their whole length', async () => {
      const store = await open();
      const name = key().padEnd(199, 'x');
      for (const variant of [`${name}a`, `${name}A`, `${name} `]) expect(await store.replay.claim(variant, at(60))).toBe(true);
    });

    test.each(['', 'ä', 'a\nb', 'x'.repeat(201)])('a key that could be mistaken is refused: %j', async name => {
      const store = await open();
      await expect(store.replay.claim(name, at(60))).rejects.toMatchObject({ code: 'STORE_INVALID' });
    });
  });

  describe('sign-ins under way', () => {
    const entry = (more = {}) => ({ handle: randomUUID(), browser: randomUUID(), value: 'v', expiresAt: at(600), ...more });

    test('it comes out once, to its browser', async () => {
      const store = await open();
      const kept = entry({ value: '{"state":"é"}' });
      await store.keepPending(kept);
      expect(await store.takePending(kept.handle, kept.browser)).toBe('{"state":"é"}');
      expect(await store.takePending(kept.handle, kept.browser)).toBeUndefined();
    });

    test('another browser gets nothing and takes nothing away', async () => {
      const store = await open();
      const kept = entry();
      await store.keepPending(kept);
      expect(await store.takePending(kept.handle, randomUUID())).toBeUndefined();
      expect(await store.takePending(kept.handle, kept.browser)).toBe('v');
    });

    test('of twenty takers at once exactly one gets it', async () => {
      const [one, two] = [await open(), await open()];
      const kept = entry();
      await one.keepPending(kept);
      const takers = Array.from({ length: 20 }, (_, n) => (n % 2 ? one : two).takePending(kept.handle, kept.browser));
      expect((await Promise.all(takers)).filter(value => value === 'v')).toHaveLength(1);
    });

    test('it ends at its second', async () => {
      const store = await open();
      const kept = entry({ expiresAt: at(10) });
      await store.keepPending(kept);
      clock += 10_000;
      expect(await store.takePending(kept.handle, kept.browser)).toBeUndefined();
    });

    test('two tabs of one browser both come through; a tab too many drops the oldest of that browser only', async () => {
      const store = await open({ maxPendingPerBrowser: 2 });
      const browser = randomUUID();
      const other = entry();
      await store.keepPending(other);
      const tabs = [entry({ browser }), entry({ browser }), entry({ browser })];
      for (const tab of tabs) {
        await store.keepPending(tab);
        clock += 1;
      }
      const taken = [];
      for (const tab of tabs) taken.push(await store.takePending(tab.handle, browser));
      expect(taken).toEqual([undefined, 'v', 'v']);
      expect(await store.takePending(other.handle, other.browser)).toBe('v');
    });

    test('a flood from one source drops its own, not those of others', async () => {
      const store = await open({ maxPendingPerSource: 3 });
      const mine = entry({ source: '192.0.2.1' });
      await store.keepPending(mine);
      const flood = [];
      for (let n = 0; n < 8; n += 1) {
        clock += 1;
        flood.push(entry({ source: '203.0.113.9' }));
        await store.keepPending(flood[n] as ReturnType<typeof entry>);
      }
      const kept = [];
      for (const one of flood) if ((await store.takePending(one.handle, one.browser)) === 'v') kept.push(one);
      expect(kept).toEqual(flood.slice(-3));
      expect(await store.takePending(mine.handle, mine.browser)).toBe('v');
    });

    test('number and bytes in all are bounded, the oldest go', async () => {
      clock += 3_600_000;
      const store = await open({ maxPending: 4, maxPendingBytesInAll: 250 });
      while ((await store.purge()).more);
      const entries = [];
      for (let n = 0; n < 7; n += 1) {
        clock += 1;
        entries.push(entry());
        await store.keepPending(entries[n] as ReturnType<typeof entry>);
      }
      expect((await store.count()).pending).toBe(4);
      const large = entry({ value: 'x'.repeat(249) });
      clock += 1;
      await store.keepPending(large);
      expect((await store.count()).pending).toBe(2);
      expect(await store.takePending(large.handle, large.browser)).toHaveLength(249);
    });

    test('a handle that is in use is refused by name, also of two at once, and the first sign-in stays', async () => {
      const [one, two] = [await open(), await open()];
      const kept = entry({ value: 'first' });
      await one.keepPending(kept);
      const error = await two.keepPending({ ...kept, browser: randomUUID(), value: 'second' }).catch((caught: unknown) => caught);
      expect(error).toEqual(inUse('handle'));
      expect(String(error)).not.toContain(kept.handle);
      expect(await two.takePending(kept.handle, kept.browser)).toBe('first');
      const racing = entry();
      const answers = await Promise.allSettled([one, two].map(store => store.keepPending(racing)));
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(answers).toContainEqual({ status: 'rejected', reason: inUse('handle') });
    });

    test('one that is too large is refused by name', async () => {
      const store = await open({ maxPendingBytes: 10 });
      await expect(store.keepPending(entry({ value: 'x'.repeat(11) }))).rejects.toThrow(
        /may hold at most 10 bytes; this one has 11/,
      );
    });
  });

  describe('sessions', () => {
    test('one is found by its id, with what was stored', async () => {
      const store = await open();
      const made = session();
      expect(await store.createSession(made)).toBe(true);
      expect(await store.findSession(made.id)).toEqual({
        key: expect.any(String),
        issuer: made.issuer,
        subject: 'ada',
        providerSession: made.providerSession,
        value: made.value,
        version: 1,
        createdAt: at(0),
        endsAt: at(3600),
        expiresAt: at(28_800),
      });
      expect(await store.findSession(randomUUID())).toBeUndefined();
    });

    test('use keeps it alive; idle time ends it', async () => {
      const store = await open();
      const made = session();
      await store.createSession(made);
      clock += 3_500_000;
      expect(await store.findSession(made.id)).toBeDefined();
      clock += 3_500_000;
      expect(await store.findSession(made.id)).toBeDefined();
      clock += 3_600_000;
      expect(await store.findSession(made.id)).toBeUndefined();
    });

    test('no use keeps it alive past its absolute end', async () => {
      const store = await open();
      const made = session({ expiresAt: at(7190) });
      await store.createSession(made);
      clock += 3_590_000;
      expect((await store.findSession(made.id))?.endsAt).toEqual(made.expiresAt);
      clock += 3_599_000;
      expect(await store.findSession(made.id)).toBeDefined();
      clock += 1_000;
      expect(await store.findSession(made.id)).toBeUndefined();
    });

    test('what is known without asking is what would be found, and is known no longer than that', async () => {
      const [one, two] = [await open(), await open()];
      const nextTurn = () => new Promise(resolve => setImmediate(resolve));
      const wanted = session({ idleSeconds: 60 });
      await one.createSession(wanted);
      expect(one.recallSession(wanted.id)).toBeUndefined();
      const found = await one.findSession(wanted.id);
      expect(one.recallSession(wanted.id) ?? found).toEqual(found);
      expect(one.recallSession(randomUUID())).toBeUndefined();
      await two.endSession(wanted.id);
      await nextTurn();
      expect(one.recallSession(wanted.id)).toBeUndefined();
      const [own, old] = [session(), session({ idleSeconds: 60 })];
      for (const each of [own, old]) await one.createSession(each);
      for (const each of [own, old]) await one.findSession(each.id);
      await one.endSession(own.id);
      expect(one.recallSession(own.id)).toBeUndefined();
      clock += 61_000;
      expect(one.recallSession(old.id)).toBeUndefined();
    });

    test('which of many are live, without counting as a use', async () => {
      const store = await open();
      const made = [session(), session({ expiresAt: at(60) }), session()];
      for (const one of made) await store.createSession(one);
      const strangers = Array.from({ length: 450 }, () => randomUUID());
      await store.endSession(made[2]!.id);
      const ids = made.map(one => one.id);
      const [first, second] = ids as [string, string];
      const live = await store.liveSessions([...strangers, ...ids]);
      expect([...live.keys()].sort()).toEqual([first, second].sort());
      // Whoever holds the session that it was then sees that it has changed.
      expect(await store.changeSession(first, live.get(first)!, 'changed')).toBe(true);
      expect((await store.liveSessions(ids)).get(first)).toBe(live.get(first)! + 1);
      clock += 3_599_000;
      expect([...(await store.liveSessions(ids)).keys()]).toEqual([first]);
      clock += 1_000;
      expect(await store.liveSessions(ids)).toEqual(new Map());
      expect(await store.liveSessions([])).toEqual(new Map());
    });

    test('a change needs the version it was made from', async () => {
      const store = await open();
      const made = session();
      await store.createSession(made);
      expect(await store.changeSession(made.id, 1, 'two')).toBe(true);
      expect(await store.changeSession(made.id, 1, 'stale')).toBe(false);
      expect(await store.findSession(made.id)).toMatchObject({ value: 'two', version: 2 });
    });

    test('whoever has the key of a session changes and ends it, and gets in with it nowhere', async () => {
      const store = await open();
      const made = session();
      await store.createSession(made);
      const { key: name = '' } = (await store.findSession(made.id)) ?? {};
      expect(await store.findSession(name)).toBeUndefined();
      expect(await store.changeSessionByKey(name, 1, 'two')).toBe(true);
      expect(await store.changeSessionByKey(name, 1, 'stale')).toBe(false);
      expect(await store.findSession(made.id)).toMatchObject({ value: 'two', version: 2 });
      expect(await store.endSessionByKey(made.id)).toBeUndefined();
      expect(await store.endSessionByKey(name)).toMatchObject({ subject: 'ada', value: 'two' });
      expect(await store.findSession(made.id)).toBeUndefined();
    });

    test('a new session ends the one it replaces in the same step', async () => {
      const store = await open();
      const first = session();
      await store.createSession(first);
      await store.createSession(session({ replaces: first.id }));
      expect(await store.findSession(first.id)).toBeUndefined();
    });

    test('an id that is in use is refused by name, also of two at once, and ends nobody', async () => {
      const [one, two] = [await open(), await open()];
      const [first, replaced] = [session(), session()];
      for (const each of [first, replaced]) await one.createSession(each);
      const again = session({ id: first.id, subject: 'bob', replaces: replaced.id });
      const error = await two.createSession(again).catch((caught: unknown) => caught);
      expect(error).toEqual(inUse('session id'));
      expect(String(error)).not.toContain(first.id);
      expect((await two.findSession(first.id))?.subject).toBe('ada');
      expect(await two.findSession(replaced.id)).toBeDefined();
      expect(await two.createSession(session({ id: first.id, subject: 'bob', replaces: first.id }))).toBe(true);
      const racing = session();
      const answers = await Promise.allSettled([one, two].map(store => store.createSession(racing)));
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(answers).toContainEqual({ status: 'rejected', reason: inUse('session id') });
    });

    test('one person has a bounded number; the one not used for longest ends', async () => {
      const store = await open({ maxSessionsPerPerson: 2 });
      const issuer = `https://op.example/${randomUUID()}`;
      const made = [session({ issuer }), session({ issuer }), session({ issuer })];
      for (const one of made) {
        await store.createSession(one);
        clock += 1;
      }
      expect(await Promise.all(made.map(async one => (await store.findSession(one.id)) !== undefined))).toEqual([
        false,
        true,
        true,
      ]);
    });

    test('ending one gives back what it was', async () => {
      const store = await open();
      const made = session();
      await store.createSession(made);
      expect(await store.endSession(made.id)).toMatchObject({ subject: 'ada', value: made.value });
      expect(await store.endSession(made.id)).toBeUndefined();
      expect(await store.findSession(made.id)).toBeUndefined();
    });

    test('a value that is too large is refused', async () => {
      const store = await open({ maxSessionBytes: 10 });
      await expect(store.createSession(session({ value: 'x'.repeat(11) }))).rejects.toMatchObject({ code: 'STORE_INVALID' });
    });
  });

  describe('logouts from the provider', () => {
    async function world() {
      const store = await open();
      const issuer = `https://op.example/${randomUUID()}`;
      const made = {
        phone: session({ issuer, providerSession: 'phone' }),
        desk: session({ issuer, providerSession: 'desk' }),
        bob: session({ issuer, subject: 'bob', providerSession: 'bob' }),
        elsewhere: session({ providerSession: 'phone' }),
      };
      for (const one of Object.values(made)) await store.createSession(one);
      const alive = async () => {
        const names = [];
        for (const [name, one] of Object.entries(made)) if (await store.findSession(one.id)) names.push(name);
        return names;
      };
      return { store, issuer, alive };
    }

    test('by provider session: that one, of that issuer', async () => {
      const { store, issuer, alive } = await world();
      const ended = await store.endSessions({ issuer, providerSessions: ['phone'], at: at(0) });
      expect(ended).toHaveLength(1);
      expect(await alive()).toEqual(['desk', 'bob', 'elsewhere']);
    });

    test('by subject: all of that person at that issuer', async () => {
      const { store, issuer, alive } = await world();
      await store.endSessions({ issuer, subject: 'ada', at: at(0) });
      expect(await alive()).toEqual(['bob', 'elsewhere']);
    });

    test('by subject and a list: those of that person', async () => {
      const { store, issuer, alive } = await world();
      await store.endSessions({ issuer, subject: 'ada', providerSessions: ['desk', 'bob'], at: at(0) });
      expect(await alive()).toEqual(['phone', 'bob', 'elsewhere']);
    });

    test('one that names nobody is refused and ends nothing', async () => {
      const { store, issuer, alive } = await world();
      await expect(store.endSessions({ issuer, at: at(0) })).rejects.toMatchObject({ code: 'STORE_INVALID' });
      await expect(store.endSessions({ issuer, providerSessions: [], at: at(0) })).rejects.toMatchObject({
        code: 'STORE_INVALID',
      });
      expect(await alive()).toHaveLength(4);
    });

    test('one that overtakes its sign-in leaves no session behind', async () => {
      const { store, issuer } = await world();
      await store.endSessions({ issuer, providerSessions: ['late'], at: at(0) });
      const late = session({ issuer, providerSession: 'late' });
      expect(await store.createSession(late)).toBe(false);
      expect(await store.findSession(late.id)).toBeUndefined();
      await store.endSessions({ issuer, subject: 'ada', providerSessions: ['later'], at: at(0) });
      expect(await store.createSession(session({ issuer, providerSession: 'later' }))).toBe(false);
      expect(await store.createSession(session({ issuer, subject: 'bob', providerSession: 'later' }))).toBe(true);
    });

    test('a person signed out everywhere can sign in again, but an older sign-in cannot finish', async () => {
      const { store, issuer } = await world();
      await store.endSessions({ issuer, subject: 'ada', at: at(0) });
      expect(await store.createSession(session({ issuer, signedInAt: at(0) }))).toBe(false);
      expect(await store.createSession(session({ issuer, signedInAt: at(1) }))).toBe(true);
    });

    test('a tombstone is forgotten after its time', async () => {
      const { store, issuer } = await world();
      await store.endSessions({ issuer, providerSessions: ['late'], at: at(0) });
      clock += store.limits.tombstoneSeconds * 1000;
      expect(await store.createSession(session({ issuer, providerSession: 'late' }))).toBe(true);
    });

    test('racing with the sign-in that it ends, it wins whoever comes first', async () => {
      const [one, two] = [await open(), await open()];
      for (let round = 0; round < 20; round += 1) {
        const made = session();
        await Promise.all([
          one.createSession(made),
          two.endSessions({ issuer: made.issuer, providerSessions: [made.providerSession as string], at: at(0) }),
        ]);
        expect(await one.findSession(made.id)).toBeUndefined();
      }
    });
  });

  describe('what is no value is refused as such: it is no outage, and no way past a logout', () => {
    const never = new Date(Number.NaN);
    const refused = expect.objectContaining({ code: 'STORE_INVALID', status: 500 });

    test.each([
      ['signedInAt', { signedInAt: never }],
      ['signedInAt', { signedInAt: undefined }],
      ['expiresAt', { expiresAt: never }],
      ['idleSeconds', { idleSeconds: Number.NaN }],
      ['idleSeconds', { idleSeconds: '60' }],
      ['issuer', { issuer: undefined }],
      ['subject', { subject: 7 }],
      ['providerSession', { providerSession: 7 }],
      ['value', { value: undefined }],
    ])('%s of a session', async (_name, more) => {
      await expect((await open()).createSession({ ...session(), ...more } as never)).rejects.toEqual(refused);
    });

    test.each([
      ['no time', { issuer: 'i', subject: 's' }],
      ['a time that is none', { issuer: 'i', subject: 's', at: never }],
      ['no issuer', { subject: 's', at: new Date(0) }],
      ['a subject that is no text', { issuer: 'i', subject: 7, at: new Date(0) }],
      ['a text in place of the list of sessions', { issuer: 'i', providerSessions: 'abc', at: new Date(0) }],
      ['a session that is no text', { issuer: 'i', providerSessions: [undefined], at: new Date(0) }],
    ])('a logout with %s', async (_name, logout) => {
      await expect((await open()).endSessions(logout as never)).rejects.toEqual(refused);
    });

    test('a claim, a sign-in under way and a record without a time, or without a text', async () => {
      const store = await open();
      const pending = { handle: randomUUID(), browser: randomUUID(), value: '', expiresAt: at(60) };
      const record = { kind: 'code', id: randomUUID(), value: '', expiresAt: at(60) };
      for (const until of [never, undefined, 7]) await expect(store.replay.claim(key(), until as never)).rejects.toEqual(refused);
      for (const more of [{ expiresAt: never }, { value: 7 }]) {
        await expect(store.keepPending({ ...pending, ...more } as never)).rejects.toEqual(refused);
        await expect(store.records.put({ ...record, ...more } as never)).rejects.toEqual(refused);
      }
    });

    test('a session or a sign-in under way that nobody names is not found', async () => {
      const store = await open();
      for (const nothing of [undefined, null, 7]) {
        expect(await store.findSession(nothing as never)).toBeUndefined();
        expect(await store.takePending(nothing as never, nothing as never)).toBeUndefined();
      }
    });

    test.each([{ maxPendng: 5 }, { maxSessionBytes: Number.NaN }, { maxPending: -1 }, { maxPendingPerBrowser: 0.5 }])(
      'the limit %j bounds nothing',
      async limits => {
        await expect(openStore(database.address, { limits: limits as never })).rejects.toEqual(refused);
      },
    );
  });

  test('purging goes in steps and leaves what lives', async () => {
    const store = await open();
    while ((await store.purge()).more);
    const made = session();
    const kept = key();
    await store.createSession(made);
    await store.replay.claim(kept, at(86_400));
    for (let n = 0; n < 25; n += 1) await store.replay.claim(key(), at(1));
    clock += 1_000;
    const steps = [];
    do steps.push(await store.purge(10));
    while (steps.at(-1)?.more);
    expect(steps.map(step => step.deleted)).toEqual([10, 10, 5]);
    expect(await store.findSession(made.id)).toBeDefined();
    expect(await store.replay.claim(kept, at(60))).toBe(false);
  });

  test('no session id, browser secret or handle stands in the database', async () => {
    const store = await open();
    const made = session();
    const pending = { handle: randomUUID(), browser: randomUUID(), value: '', expiresAt: at(60) };
    await store.createSession(made);
    await store.keepPending(pending);
    const record = { kind: 'code', id: randomUUID(), alias: randomUUID(), value: '', expiresAt: at(60) };
    await store.records.put(record);
    const dump = await dumpTables(database.address);
    expect(dump).toContain(made.issuer);
    for (const secret of [made.id, pending.handle, pending.browser, record.id, record.alias]) expect(dump).not.toContain(secret);
  });

  test('after closing, every call says that the store cannot be reached', async () => {
    const store = await openStore(database.address);
    await store.close();
    await expect(store.findSession(randomUUID())).rejects.toSatisfy(
      error => error instanceof StoreError && error.code === 'STORE_UNAVAILABLE' && error.status === 503,
    );
  });
}
