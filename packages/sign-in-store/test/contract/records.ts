import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { NewRecord } from '../../src/index.ts';
import type { Subject } from './subject.ts';

/** Every promise of `RecordStore`, and of sessions found by key. */
export function recordsContract(subject: Subject): void {
  const { open, at } = subject;

  const record = (more: Partial<NewRecord> = {}): NewRecord => ({
    kind: 'code',
    id: randomUUID(),
    value: 'sealed',
    expiresAt: at(60),
    ...more,
  });

  describe('records', () => {
    test('finds one by kind and id, until its exact end', async () => {
      const { records } = await open();
      const made = record({ group: 'g' });
      await records.put(made);
      expect(await records.find('code', made.id)).toEqual({ kind: 'code', value: 'sealed', group: 'g', expiresAt: at(60) });
      expect(await records.find('token', made.id)).toBeUndefined();
      subject.clock += 60_000;
      expect(await records.find('code', made.id)).toBeUndefined();
    });

    test('keeps that it was taken when it is written again', async () => {
      const { records } = await open();
      const made = record();
      await records.put(made);
      await records.take('code', made.id);
      await records.put({ ...made, value: 'other', group: 'h', expiresAt: at(120) });
      expect(await records.find('code', made.id)).toEqual({
        kind: 'code',
        value: 'other',
        group: 'h',
        expiresAt: at(120),
        takenAt: at(0),
      });
    });

    test('gives it to exactly one of twenty over two connections', async () => {
      const [one, two] = [await open(), await open()];
      const made = record();
      await one.records.put(made);
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? one : two).records.take('code', made.id)));
      expect(answers.filter(Boolean)).toHaveLength(1);
    });

    test('does not give out what is expired or gone', async () => {
      const { records } = await open();
      const [late, gone] = [record({ expiresAt: at(1) }), record()];
      await records.put(late);
      await records.put(gone);
      await records.remove('code', gone.id);
      subject.clock += 1000;
      expect([await records.take('code', late.id), await records.take('code', gone.id)]).toEqual([false, false]);
    });

    test('finds it by a second name, within its kind', async () => {
      const { records } = await open();
      const alias = randomUUID();
      await records.put(record({ alias, value: 'mine' }));
      // One without a group has none, and one that nobody took was not taken.
      expect(await records.findByAlias('code', alias)).toEqual({ kind: 'code', value: 'mine', expiresAt: at(60) });
      expect(await records.findByAlias('session', alias)).toBeUndefined();
    });

    test('removes a group as one, for one of two callers, without its expired records', async () => {
      const [one, two] = [await open(), await open()];
      const group = randomUUID();
      for (const value of ['a', 'b']) await one.records.put(record({ group, value }));
      await one.records.put(record({ group, value: 'late', expiresAt: at(1) }));
      const other = record({ group: randomUUID() });
      await one.records.put(other);
      subject.clock += 1000;
      const removed = await Promise.all([one.records.removeGroup(group), two.records.removeGroup(group)]);
      expect(
        removed
          .flat()
          .map(found => found.value)
          .sort(),
      ).toEqual(['a', 'b']);
      expect(await one.records.find('code', other.id)).toBeDefined();
    });

    test('moves a group', async () => {
      const { records } = await open();
      const [from, to] = [randomUUID(), randomUUID()];
      const made = record({ group: from });
      await records.put(made);
      await records.moveGroup(from, to);
      expect((await records.find('code', made.id))?.group).toBe(to);
      expect(await records.removeGroup(from)).toEqual([]);
    });

    test('drops the oldest of its kind if visitors make too many', async () => {
      const { records } = await open();
      const kind = `kind ${randomUUID()}`;
      const other = record({ kind: `other ${kind}` });
      await records.put(other);
      const made = [];
      for (let n = 0; n < 4; n += 1) {
        made.push(record({ kind, most: 3 }));
        await records.put(made[n] as NewRecord);
        subject.clock += 1;
      }
      expect(await Promise.all(made.map(async one => (await records.find(kind, one.id)) !== undefined))).toEqual([
        false,
        true,
        true,
        true,
      ]);
      expect(await records.find(other.kind, other.id)).toMatchObject({ value: other.value });
      // One that is written again is the newest.
      await records.put(made[1] as NewRecord);
      subject.clock += 1;
      await records.put(record({ kind, most: 3 }));
      expect(await Promise.all(made.map(async one => (await records.find(kind, one.id)) !== undefined))).toEqual([
        false,
        true,
        false,
        true,
      ]);
    });

    test('refuses one that is too large by name', async () => {
      const { records } = await open({ maxRecordBytes: 10 });
      await expect(records.put(record({ value: 'x'.repeat(11) }))).rejects.toThrow(/may hold at most 10 bytes; this one has 11/);
      const whole = record({ value: 'x'.repeat(10) });
      await records.put(whole);
      expect(await records.find('code', whole.id)).toMatchObject({ value: whole.value });
    });

    test('purges expired ones only', async () => {
      const store = await open();
      const [late, kept] = [record({ expiresAt: at(1) }), record()];
      await store.records.put(late);
      await store.records.put(kept);
      subject.clock += 1000;
      while ((await store.purge()).more);
      subject.clock -= 1000;
      expect(await store.records.find('code', late.id)).toBeUndefined();
      expect(await store.records.find('code', kept.id)).toBeDefined();
    });
  });

  test('finds a session by its key, which is not its id, without counting as use', async () => {
    const store = await open();
    const id = randomUUID();
    const session = { issuer: 'https://op.example', subject: 'ada', signedInAt: at(0), idleSeconds: 3600, expiresAt: at(28_800) };
    await store.createSession({ ...session, id, value: 'v' });
    const key = (await store.findSession(id))?.key ?? '';
    expect(key).not.toContain(id);
    subject.clock += 3_500_000;
    expect((await store.findSessionByKey(key))?.value).toBe('v');
    expect(await store.findSession(key)).toBeUndefined();
    subject.clock += 200_000;
    expect(await store.findSessionByKey(key)).toBeUndefined();
  });

  test('returns the key of an ended session', async () => {
    const store = await open();
    const id = randomUUID();
    const subject = randomUUID();
    const session = { issuer: 'https://op.example', subject, signedInAt: at(0), idleSeconds: 3600, expiresAt: at(28_800) };
    await store.createSession({ ...session, id, value: 'v' });
    const key = (await store.findSession(id))?.key;
    expect((await store.endSessions({ issuer: session.issuer, subject, at: at(0) })).map(one => one.key)).toEqual([key]);
  });

  test('sees at the next query what another connection ended, changed or added', async () => {
    const [one, two] = [await open(), await open()];
    const made = {
      id: randomUUID(),
      issuer: 'https://op.example',
      subject: randomUUID(),
      signedInAt: at(0),
      idleSeconds: 3600,
      expiresAt: at(28_800),
      value: 'v',
    };
    await one.createSession(made);
    for (let n = 0; n < 3; n += 1) expect((await one.findSession(made.id))?.version).toBe(1);
    expect(await two.changeSession(made.id, 1, 'new')).toBe(true);
    expect((await one.findSession(made.id))?.value).toBe('new');
    expect((await two.findSession(made.id))?.value).toBe('new');
    await two.endSession(made.id);
    expect(await one.findSession(made.id)).toBeUndefined();
    expect(await two.findSession(made.id)).toBeUndefined();
  });
}
