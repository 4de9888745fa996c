import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/index.ts';
import { claimKey, type Subject } from './subject.ts';

export function refusalsContract(subject: Subject): void {
  const { open, at, session } = subject;

  describe('refuses a missing value as such: it is no outage, and no way past a logout', () => {
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
      for (const until of [never, undefined, 7])
        await expect(store.replay.claim(claimKey(), until as never)).rejects.toEqual(refused);
      for (const more of [{ expiresAt: never }, { value: 7 }]) {
        await expect(store.keepPending({ ...pending, ...more } as never)).rejects.toEqual(refused);
        await expect(store.records.put({ ...record, ...more } as never)).rejects.toEqual(refused);
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
        await expect(openStore(subject.address, { limits: limits as never })).rejects.toEqual(refused);
      },
    );
  });
}
