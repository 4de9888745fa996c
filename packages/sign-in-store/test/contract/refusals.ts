import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/index.ts';
import { claimKey, type Subject } from './subject.ts';

export function refusalsContract(subject: Subject): void {
  const { open, at, session } = subject;

  describe('refuses a missing value as such: it is no outage, and no way past a logout', () => {
    const never = new Date(Number.NaN);
    const refused = expect.objectContaining({ code: 'STORE_INVALID', status: 500 });
    /** The caller learns which value is wrong. */
    const refusedAs = (words: string) =>
      expect.objectContaining({ code: 'STORE_INVALID', status: 500, message: expect.stringContaining(words) });

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
    ])('%s of a session', async (name, more) => {
      await expect((await open()).createSession({ ...session(), ...more } as never)).rejects.toEqual(
        refusedAs(`: ${name} must be`),
      );
    });

    test.each([
      ['no time', { issuer: 'i', subject: 's' }, 'at must be a date'],
      ['a time that is none', { issuer: 'i', subject: 's', at: never }, 'at must be a date'],
      ['no issuer', { subject: 's', at: new Date(0) }, 'issuer must be text'],
      ['a subject that is no text', { issuer: 'i', subject: 7, at: new Date(0) }, 'subject must be text'],
      [
        'a text in place of the list of sessions',
        { issuer: 'i', providerSessions: 'abc', at: new Date(0) },
        'providerSessions must be a list',
      ],
      [
        'a session that is no text',
        { issuer: 'i', providerSessions: [undefined], at: new Date(0) },
        'providerSessions must be text',
      ],
      [
        'more than 1,000 sessions',
        { issuer: 'i', providerSessions: Array.from({ length: 1_001 }, String), at: new Date(0) },
        'at most 1000 provider sessions',
      ],
      ['nobody', { issuer: 'i', providerSessions: [], at: new Date(0) }, 'must name a subject or a provider session'],
    ])('a logout with %s', async (_name, logout, words) => {
      await expect((await open()).endSessions(logout as never)).rejects.toEqual(refusedAs(words));
    });

    test('a claim, a sign-in under way and a record without a time, or without a text', async () => {
      const store = await open();
      const pending = { handle: randomUUID(), browser: randomUUID(), value: '', expiresAt: at(60) };
      const record = { kind: 'code', id: randomUUID(), value: '', expiresAt: at(60) };
      for (const until of [never, undefined, 7])
        await expect(store.replay.claim(claimKey(), until as never)).rejects.toEqual(refused);
      for (const more of [{ expiresAt: never }, { value: 7 }]) {
        await expect(store.keepPending({ ...pending, ...more } as never)).rejects.toEqual(refused);
        await expect(store.records.put({ ...record, ...more } as never)).rejects.toEqual(refused);
      }
    });

    test('a record without an id, or with an alias or a group that is no text', async () => {
      const store = await open();
      const record = { kind: 'code', id: randomUUID(), value: '', expiresAt: at(60) };
      for (const name of ['id', 'alias', 'group'])
        for (const wrong of [null, 7, {}, ...(name === 'id' ? [undefined] : [])])
          await expect(store.records.put({ ...record, [name]: wrong } as never)).rejects.toEqual(refused);
      await expect(store.records.moveGroup('a', undefined as never)).rejects.toEqual(refused);
      expect(await store.records.find('code', record.id)).toBeUndefined();
    });

    test('an id, a handle or a secret of a browser that is too short to be one, or longer than 1,024 characters', async () => {
      const store = await open();
      const text = (length: number) => randomBytes(1_024).toString('hex').slice(0, length);
      const pending = (more: object) => ({ handle: randomUUID(), browser: randomUUID(), value: '', expiresAt: at(60), ...more });
      for (const length of [0, 15, 1_025]) {
        await expect(store.createSession(session({ id: text(length) }))).rejects.toEqual(refused);
        for (const name of ['handle', 'browser'])
          await expect(store.keepPending(pending({ [name]: text(length) }))).rejects.toEqual(refused);
      }
      for (const length of [16, 1_024]) {
        const made = session({ id: text(length) });
        expect(await store.createSession(made)).toBe(true);
        expect(await store.findSession(made.id)).toMatchObject({ subject: made.subject });
        const kept = pending({ handle: text(length), browser: text(length), value: 'v' });
        await store.keepPending(kept);
        expect(await store.takePending(kept.handle, kept.browser)).toBe('v');
      }
    });

    test('a group of 2,500 bytes is stored; one more byte is refused', async () => {
      const store = await open();
      // Random, because PostgreSQL compresses what it indexes.
      const group = randomBytes(2_500).toString('base64url').slice(0, 2_500);
      const record = { kind: 'code', id: randomUUID(), value: '', expiresAt: at(60) };
      await store.records.put({ ...record, group });
      await store.records.moveGroup(group, `${group.slice(1)}x`);
      expect(await store.records.removeGroup(`${group.slice(1)}x`)).toHaveLength(1);
      for (const longer of [`${group}x`, group.repeat(2)]) {
        await expect(store.records.put({ ...record, group: longer })).rejects.toEqual(refused);
        await expect(store.records.moveGroup(group, longer)).rejects.toEqual(refused);
      }
    });

    test('a text with NUL, which PostgreSQL cannot store', async () => {
      const store = await open();
      const pending = { handle: randomUUID(), browser: randomUUID(), value: '', expiresAt: at(60) };
      const record = { kind: 'code', id: randomUUID(), value: '', expiresAt: at(60) };
      for (const name of ['issuer', 'subject', 'providerSession', 'value'])
        await expect(store.createSession({ ...session(), [name]: 'a\0b' })).rejects.toEqual(refused);
      await expect(store.endSessions({ issuer: 'i', providerSessions: ['a\0b'], at: at(0) })).rejects.toEqual(refused);
      await expect(store.endSessions({ issuer: 'i', subject: 'a\0b', at: at(0) })).rejects.toEqual(refused);
      await expect(store.keepPending({ ...pending, value: '\0' })).rejects.toEqual(refused);
      for (const name of ['value', 'group'])
        await expect(store.records.put({ ...record, [name]: '\0' })).rejects.toEqual(refused);
      await expect(store.findSessionByKey('\0')).rejects.toEqual(refused);
      await expect(store.endSessionByKey('\0')).rejects.toEqual(refused);
      await expect(store.records.removeGroup('\0')).rejects.toEqual(refused);
      // A transaction that was refused leaves nothing behind, and the store goes on.
      expect(await store.createSession(session())).toBe(true);
    });

    test('issuer and subject, or issuer and provider session, of 2,500 bytes are stored; one more byte is refused', async () => {
      const store = await open();
      // Random, because PostgreSQL compresses what it indexes.
      const random = randomBytes(2_500).toString('base64url');
      for (const name of ['subject', 'providerSession']) {
        const whole = session();
        const rest = 2_500 - Buffer.byteLength(whole.issuer);
        expect(await store.createSession({ ...whole, [name]: random.slice(0, rest) })).toBe(true);
        await expect(
          store.createSession({ ...session(), issuer: whole.issuer, [name]: random.slice(0, rest + 1) }),
        ).rejects.toEqual(refused);
      }
    });

    test.each([Number.NaN, 0.5, -1, '1'])('the count %j', async count => {
      const store = await open();
      const record = { kind: 'code', id: randomUUID(), value: '', expiresAt: at(60) };
      await expect(store.records.put({ ...record, most: count as number })).rejects.toEqual(refused);
      await expect(store.purge(count as number)).rejects.toEqual(refused);
      await expect(store.changeSession(randomUUID(), count as number, '')).rejects.toEqual(refused);
    });

    test('an idle time in thirds of a second, or longer than time lasts, is as good as any', async () => {
      const store = await open();
      for (const idleSeconds of [1 / 3, 1e300]) {
        const long = session({ idleSeconds });
        expect(await store.createSession(long)).toBe(true);
        expect(await store.findSession(long.id)).toMatchObject({ value: long.value });
        await store.endSession(long.id);
      }
    });

    test('does not find a session or pending sign-in without a name', async () => {
      const store = await open();
      for (const nothing of [undefined, null, 7]) {
        expect(await store.findSession(nothing as never)).toBeUndefined();
        expect(await store.takePending(nothing as never, nothing as never)).toBeUndefined();
      }
    });

    test.each([{ maxPendng: 5 }, { maxSessionBytes: Number.NaN }, { maxPending: -1 }, { maxPendingPerBrowser: 0.5 }])(
      'refuses the limit %j',
      async limits => {
        const [name = ''] = Object.keys(limits);
        await expect(openStore(subject.address, { limits: limits as never })).rejects.toEqual(refusedAs(name));
      },
    );
  });
}
