import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Subject } from './subject.ts';

export function logoutsContract(subject: Subject): void {
  const { open, at, session } = subject;

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

    test('ends by provider session: that one, of that issuer', async () => {
      const { store, issuer, alive } = await world();
      const ended = await store.endSessions({ issuer, providerSessions: ['phone'], at: at(0) });
      expect(ended).toHaveLength(1);
      expect(await alive()).toEqual(['desk', 'bob', 'elsewhere']);
    });

    test('ends by subject: all of that person at that issuer', async () => {
      const { store, issuer, alive } = await world();
      await store.endSessions({ issuer, subject: 'ada', at: at(0) });
      expect(await alive()).toEqual(['bob', 'elsewhere']);
    });

    test('ends by subject and a list: those of that person', async () => {
      const { store, issuer, alive } = await world();
      await store.endSessions({ issuer, subject: 'ada', providerSessions: ['desk', 'bob'], at: at(0) });
      expect(await alive()).toEqual(['phone', 'bob', 'elsewhere']);
    });

    test('refuses one that names no one, and ends nothing', async () => {
      const { store, issuer, alive } = await world();
      await expect(store.endSessions({ issuer, at: at(0) })).rejects.toMatchObject({ code: 'STORE_INVALID' });
      await expect(store.endSessions({ issuer, providerSessions: [], at: at(0) })).rejects.toMatchObject({
        code: 'STORE_INVALID',
      });
      expect(await alive()).toHaveLength(4);
    });

    test('leaves no session if it overtakes its sign-in', async () => {
      const { store, issuer } = await world();
      await store.endSessions({ issuer, providerSessions: ['late'], at: at(0) });
      const late = session({ issuer, providerSession: 'late' });
      expect(await store.createSession(late)).toBe(false);
      expect(await store.findSession(late.id)).toBeUndefined();
      await store.endSessions({ issuer, subject: 'ada', providerSessions: ['later'], at: at(0) });
      expect(await store.createSession(session({ issuer, providerSession: 'later' }))).toBe(false);
      expect(await store.createSession(session({ issuer, subject: 'bob', providerSession: 'later' }))).toBe(true);
    });

    test('lets a person who was signed out everywhere sign in again, but not finish an older sign-in', async () => {
      const { store, issuer } = await world();
      await store.endSessions({ issuer, subject: 'ada', at: at(0) });
      expect(await store.createSession(session({ issuer, signedInAt: at(0) }))).toBe(false);
      expect(await store.createSession(session({ issuer, signedInAt: at(1) }))).toBe(true);
      // The same where the provider names no session, or one without a name.
      const { providerSession: _, ...unnamed } = session({ issuer });
      for (const more of [unnamed, { ...unnamed, providerSession: '' }]) {
        expect(await store.createSession({ ...more, id: randomUUID(), signedInAt: at(0) })).toBe(false);
        expect(await store.createSession({ ...more, id: randomUUID(), signedInAt: at(1) })).toBe(true);
      }
    });

    test('of two logouts of a person the later one counts, whichever arrives first', async () => {
      const { store, issuer } = await world();
      await store.endSessions({ issuer, subject: 'ada', at: at(10) });
      await store.endSessions({ issuer, subject: 'ada', at: at(5) });
      expect(await store.createSession(session({ issuer, signedInAt: at(7) }))).toBe(false);
      expect(await store.createSession(session({ issuer, signedInAt: at(11) }))).toBe(true);
    });

    test('remembers a logout that is repeated as long again', async () => {
      const { store, issuer } = await world();
      for (let time = 0; time < 2; time += 1) {
        await store.endSessions({ issuer, providerSessions: ['late'], at: at(0) });
        subject.clock += store.limits.tombstoneSeconds * 1000 - 1;
      }
      expect(await store.createSession(session({ issuer, providerSession: 'late' }))).toBe(false);
    });

    test('forgets a tombstone after its time', async () => {
      const { store, issuer } = await world();
      await store.endSessions({ issuer, providerSessions: ['late'], at: at(0) });
      subject.clock += store.limits.tombstoneSeconds * 1000;
      expect(await store.createSession(session({ issuer, providerSession: 'late' }))).toBe(true);
    });

    test('remembers only a limited number of unproven ones, and every proven one', async () => {
      const store = await open({ maxTombstones: 5 });
      subject.clock += store.limits.tombstoneSeconds * 1000;
      while ((await store.purge()).more);
      const issuer = `https://op.example/${randomUUID()}`;
      const unproven = (sid: string) => store.endSessions({ issuer, providerSessions: [sid], at: at(0), isUnproven: true });
      const isBuried = async (sid: string) => !(await store.createSession(session({ issuer, providerSession: sid })));
      for (let one = 0; one < 20; one += 1) await unproven(`invented-${one}`);
      const buried = [];
      for (let one = 0; one < 20; one += 1) if (await isBuried(`invented-${one}`)) buried.push(one);
      expect(buried).toEqual([0, 1, 2, 3, 4]);
      const mine = session({ issuer, providerSession: 'mine' });
      await store.createSession(mine);
      expect(await unproven('mine')).toHaveLength(1);
      expect(await store.findSession(mine.id)).toBeUndefined();
      await store.endSessions({ issuer, providerSessions: ['late'], at: at(0) });
      expect(await isBuried('late')).toBe(true);
    });

    test('wins a race with its sign-in, whichever comes first', async () => {
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
}
