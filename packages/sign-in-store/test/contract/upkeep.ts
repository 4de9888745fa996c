import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openStore, StoreError } from '../../src/index.ts';
import { dumpTables } from '../support/dump-tables.ts';
import { claimKey, type Subject } from './subject.ts';

export function upkeepContract(subject: Subject): void {
  const { open, at, session } = subject;

  test('purges in steps and keeps what is live', async () => {
    const store = await open();
    // What other tests left behind is over, whichever ran before.
    subject.clock += 86_400_000;
    while ((await store.purge()).more);
    const made = session();
    const kept = claimKey();
    await store.createSession(made);
    await store.replay.claim(kept, at(86_400));
    for (let n = 0; n < 25; n += 1) await store.replay.claim(claimKey(), at(1));
    subject.clock += 1_000;
    const steps = [];
    do steps.push(await store.purge(10));
    while (steps.at(-1)?.more);
    expect(steps.map(step => step.deleted)).toEqual([10, 10, 5]);
    expect(await store.findSession(made.id)).toBeDefined();
    expect(await store.replay.claim(kept, at(60))).toBe(false);
  });

  test('purges what is over of every kind', async () => {
    const store = await open();
    const made = session({ idleSeconds: 60 });
    const [pending, record, claim] = [randomUUID(), randomUUID(), claimKey()];
    await store.createSession(made);
    await store.keepPending({ handle: randomUUID(), browser: randomUUID(), value: pending, expiresAt: at(60) });
    await store.records.put({ kind: 'code', id: randomUUID(), value: record, expiresAt: at(60) });
    await store.replay.claim(claim, at(60));
    const all = [made.issuer, pending, record, claim];
    const left = async () => {
      while ((await store.purge()).more);
      const dump = await dumpTables(subject.address);
      return all.filter(text => dump.includes(text));
    };
    subject.clock += 59_999;
    expect(await left()).toEqual(all);
    subject.clock += 1;
    expect(await left()).toEqual([]);
  });

  test('stores no session id, browser secret or handle in the clear', async () => {
    const store = await open();
    const made = session();
    const pending = { handle: randomUUID(), browser: randomUUID(), value: '', expiresAt: at(60) };
    await store.createSession(made);
    await store.keepPending(pending);
    const record = { kind: 'code', id: randomUUID(), alias: randomUUID(), value: '', expiresAt: at(60) };
    await store.records.put(record);
    const dump = await dumpTables(subject.address);
    expect(dump).toContain(made.issuer);
    for (const secret of [made.id, pending.handle, pending.browser, record.id, record.alias]) expect(dump).not.toContain(secret);
  });

  test('reports an outage for every call after closing', async () => {
    const store = await openStore(subject.address);
    await store.close();
    await expect(store.findSession(randomUUID())).rejects.toSatisfy(
      error => error instanceof StoreError && error.code === 'STORE_UNAVAILABLE' && error.status === 503,
    );
  });
}
