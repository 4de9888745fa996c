import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { inUse, type Subject } from './subject.ts';

export function sessionsContract(subject: Subject): void {
  const { open, at, session } = subject;

  describe('sessions', () => {
    test('finds one by its id, with its stored value', async () => {
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

    test('keeps one alive while it is used, and ends it when idle', async () => {
      const store = await open();
      const made = session();
      await store.createSession(made);
      subject.clock += 3_500_000;
      expect(await store.findSession(made.id)).toBeDefined();
      subject.clock += 3_500_000;
      expect(await store.findSession(made.id)).toBeDefined();
      subject.clock += 3_600_000;
      expect(await store.findSession(made.id)).toBeUndefined();
    });

    test('ends one at its absolute end, even if it is used', async () => {
      const store = await open();
      const made = session({ expiresAt: at(7190) });
      await store.createSession(made);
      subject.clock += 3_590_000;
      expect((await store.findSession(made.id))?.endsAt).toEqual(made.expiresAt);
      subject.clock += 3_599_000;
      expect(await store.findSession(made.id)).toBeDefined();
      subject.clock += 1_000;
      expect(await store.findSession(made.id)).toBeUndefined();
    });

    test('recalls only what a query would find', async () => {
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
      await one.findSession(old.id);
      subject.clock += 61_000;
      expect(one.recallSession(old.id)).toBeUndefined();
    });

    test('recalls one for a second, or a quarter of the time that it has left, and not at all if the clock was set back', async () => {
      const store = await open();
      const [long, short] = [session(), session({ idleSeconds: 2 })];
      for (const each of [long, short]) await store.createSession(each);
      for (const [{ id }, milliseconds] of [
        [long, 1_000],
        [short, 500],
        [long, -1],
      ] as const) {
        await store.findSession(id);
        const before = subject.clock;
        subject.clock += milliseconds;
        expect(store.recallSession(id)).toBeUndefined();
        subject.clock = before;
      }
    });

    test('one that ended while it was read is not recalled, though others are looked for meanwhile', async () => {
      const store = await open();
      const [ending, other] = [session(), session()];
      for (const each of [ending, other]) await store.createSession(each);
      await Promise.all([store.findSession(ending.id), store.endSession(ending.id), store.findSession(other.id)]);
      expect(store.recallSession(ending.id)).toBeUndefined();
      expect(await store.findSession(ending.id)).toBeUndefined();
    });

    test('one that was just found ends in time, too', async () => {
      const store = await open();
      const made = session({ idleSeconds: 60 });
      await store.createSession(made);
      await store.findSession(made.id);
      subject.clock += 60_000;
      expect(await store.findSession(made.id)).toBeUndefined();
    });

    test('keeps one with a short idle time alive for a person who keeps clicking', async () => {
      const store = await open();
      const made = session({ idleSeconds: 20 });
      await store.createSession(made);
      for (let click = 0; click < 4; click += 1) {
        subject.clock += 15_000;
        expect((await store.findSession(made.id))?.endsAt).toEqual(at(20));
      }
      subject.clock += 20_000;
      expect(await store.findSession(made.id)).toBeUndefined();
    });

    test('tells which of many are live, without counting as use', async () => {
      const store = await open();
      const made = [session(), session({ expiresAt: at(60) }), session()];
      for (const one of made) await store.createSession(one);
      const strangers = Array.from({ length: 450 }, () => randomUUID());
      await store.endSession(made[2]!.id);
      const ids = made.map(one => one.id);
      const [first, second] = ids as [string, string];
      const live = await store.liveSessions([...strangers, ...ids]);
      expect([...live.keys()].sort()).toEqual([first, second].sort());
      // The holder of the session that it was then sees that it has changed.
      expect(await store.changeSession(first, live.get(first)!, 'changed')).toBe(true);
      expect((await store.liveSessions(ids)).get(first)).toBe(live.get(first)! + 1);
      subject.clock += 3_599_000;
      expect([...(await store.liveSessions(ids)).keys()]).toEqual([first]);
      subject.clock += 1_000;
      expect(await store.liveSessions(ids)).toEqual(new Map());
      expect(await store.liveSessions([])).toEqual(new Map());
    });

    test('changes one only from its current version', async () => {
      const store = await open();
      const made = session();
      await store.createSession(made);
      expect(await store.changeSession(made.id, 1, 'two')).toBe(true);
      expect(await store.changeSession(made.id, 1, 'stale')).toBe(false);
      expect(await store.changeSession(made.id, 3, 'early')).toBe(false);
      expect(await store.findSession(made.id)).toMatchObject({ value: 'two', version: 2 });
    });

    test('changes none that is over', async () => {
      const store = await open();
      const made = session({ idleSeconds: 60 });
      await store.createSession(made);
      const { key: name = '' } = (await store.findSession(made.id)) ?? {};
      subject.clock += 60_000;
      expect(await store.changeSession(made.id, 1, 'two')).toBe(false);
      expect(await store.changeSessionByKey(name, 1, 'two')).toBe(false);
    });

    test('changes and ends one by its key, which does not sign in', async () => {
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

    test('ends the replaced session in the same step', async () => {
      const store = await open();
      const first = session();
      await store.createSession(first);
      await store.createSession(session({ replaces: first.id }));
      expect(await store.findSession(first.id)).toBeUndefined();
    });

    test('refuses an id that is in use by name, even for two at once, and ends no session', async () => {
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

    test('limits sessions per person, and ends the least recently used', async () => {
      const store = await open({ maxSessionsPerPerson: 2 });
      const issuer = `https://op.example/${randomUUID()}`;
      const made = [session({ issuer }), session({ issuer }), session({ issuer })] as const;
      const [first, second, third] = made;
      const alive = async () => [...(await store.liveSessions(made.map(one => one.id))).keys()];
      await store.createSession(first);
      subject.clock += 1;
      await store.createSession(second);
      subject.clock += 60_000;
      await store.findSession(first.id);
      await store.createSession(third);
      expect((await alive()).sort()).toEqual([first.id, third.id].sort());
      const other = session({ issuer, subject: 'bob' });
      await store.createSession(other);
      expect(await alive()).toHaveLength(2);
    });

    test('never ends the new one for that, though the clock was set back', async () => {
      const store = await open({ maxSessionsPerPerson: 1 });
      const issuer = `https://op.example/${randomUUID()}`;
      const [first, second] = [session({ issuer }), session({ issuer })];
      await store.createSession(first);
      subject.clock -= 1_000;
      await store.createSession(second);
      expect(await store.findSession(second.id)).toMatchObject({ subject: 'ada' });
    });

    test('returns the session that it ended', async () => {
      const store = await open();
      const made = session();
      await store.createSession(made);
      expect(await store.endSession(made.id)).toMatchObject({ subject: 'ada', value: made.value });
      expect(await store.endSession(made.id)).toBeUndefined();
      expect(await store.findSession(made.id)).toBeUndefined();
    });

    test('refuses a value that is too large, also in place of another one', async () => {
      const store = await open({ maxSessionBytes: 10 });
      await expect(store.createSession(session({ value: 'x'.repeat(11) }))).rejects.toMatchObject({ code: 'STORE_INVALID' });
      const made = session({ value: 'é'.repeat(5) });
      expect(await store.createSession(made)).toBe(true);
      await expect(store.changeSession(made.id, 1, 'é'.repeat(6))).rejects.toMatchObject({ code: 'STORE_INVALID' });
      expect(await store.changeSession(made.id, 1, 'x'.repeat(10))).toBe(true);
    });

    test('one without a session at the provider has none', async () => {
      const store = await open();
      const { providerSession: _, ...made } = session();
      await store.createSession(made);
      expect(await store.findSession(made.id)).not.toHaveProperty('providerSession');
      expect(await store.endSession(made.id)).not.toHaveProperty('providerSession');
    });
  });
}
