import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { inUse, type Subject } from './subject.ts';

export function pendingContract(subject: Subject): void {
  const { open, at } = subject;

  describe('pending sign-ins', () => {
    const entry = (more = {}) => ({ handle: randomUUID(), browser: randomUUID(), value: 'v', expiresAt: at(600), ...more });

    test('returns one once, to its browser', async () => {
      const store = await open();
      const kept = entry({ value: '{"state":"é"}' });
      await store.keepPending(kept);
      expect(await store.takePending(kept.handle, kept.browser)).toBe('{"state":"é"}');
      expect(await store.takePending(kept.handle, kept.browser)).toBeUndefined();
    });

    test('gives another browser nothing and keeps it', async () => {
      const store = await open();
      const kept = entry();
      await store.keepPending(kept);
      expect(await store.takePending(kept.handle, randomUUID())).toBeUndefined();
      expect(await store.takePending(kept.handle, kept.browser)).toBe('v');
    });

    test('gives it to exactly one of twenty at once', async () => {
      const [one, two] = [await open(), await open()];
      const kept = entry();
      await one.keepPending(kept);
      const takers = Array.from({ length: 20 }, (_, n) => (n % 2 ? one : two).takePending(kept.handle, kept.browser));
      expect((await Promise.all(takers)).filter(value => value === 'v')).toHaveLength(1);
    });

    test('shows it to its browser as often as it asks, and still gives it once', async () => {
      const store = await open();
      const kept = entry();
      await store.keepPending(kept);
      expect(await store.findPending(kept.handle, randomUUID())).toBeUndefined();
      const finders = Array.from({ length: 5 }, () => store.findPending(kept.handle, kept.browser));
      expect(await Promise.all(finders)).toEqual(Array(5).fill('v'));
      expect(await store.takePending(kept.handle, kept.browser)).toBe('v');
      expect(await store.findPending(kept.handle, kept.browser)).toBeUndefined();
    });

    test('expires at its exact time', async () => {
      const store = await open();
      const kept = entry({ expiresAt: at(10) });
      await store.keepPending(kept);
      subject.clock += 10_000;
      expect(await store.findPending(kept.handle, kept.browser)).toBeUndefined();
      expect(await store.takePending(kept.handle, kept.browser)).toBeUndefined();
    });

    test("keeps several tabs of a browser, and drops that browser's oldest if there are too many", async () => {
      const store = await open({ maxPendingPerBrowser: 2 });
      const browser = randomUUID();
      const other = entry();
      await store.keepPending(other);
      const tabs = [entry({ browser }), entry({ browser }), entry({ browser })];
      for (const tab of tabs) {
        await store.keepPending(tab);
        subject.clock += 1;
      }
      const taken = [];
      for (const tab of tabs) taken.push(await store.takePending(tab.handle, browser));
      expect(taken).toEqual([undefined, 'v', 'v']);
      expect(await store.takePending(other.handle, other.browser)).toBe('v');
    });

    test("drops only the flooding source's own", async () => {
      const store = await open({ maxPendingPerSource: 3 });
      const mine = entry({ source: '192.0.2.1' });
      await store.keepPending(mine);
      const flood = [];
      for (let n = 0; n < 8; n += 1) {
        subject.clock += 1;
        flood.push(entry({ source: '203.0.113.9' }));
        await store.keepPending(flood[n] as ReturnType<typeof entry>);
      }
      const kept = [];
      for (const one of flood) if ((await store.takePending(one.handle, one.browser)) === 'v') kept.push(one);
      expect(kept).toEqual(flood.slice(-3));
      expect(await store.takePending(mine.handle, mine.browser)).toBe('v');
    });

    test('entries without a source are not those of one', async () => {
      const store = await open({ maxPendingPerSource: 1 });
      const entries = [entry(), entry(), entry()];
      for (const one of entries) await store.keepPending(one);
      for (const one of entries) expect(await store.takePending(one.handle, one.browser)).toBe('v');
    });

    test('limits the total number and bytes, and drops the oldest', async () => {
      subject.clock += 3_600_000;
      const store = await open({ maxPending: 4, maxPendingBytesInAll: 250 });
      while ((await store.purge()).more);
      const entries = [];
      for (let n = 0; n < 7; n += 1) {
        subject.clock += 1;
        entries.push(entry());
        await store.keepPending(entries[n] as ReturnType<typeof entry>);
      }
      expect((await store.count()).pending).toBe(4);
      const large = entry({ value: 'x'.repeat(249) });
      subject.clock += 1;
      await store.keepPending(large);
      expect((await store.count()).pending).toBe(2);
      expect(await store.takePending(large.handle, large.browser)).toHaveLength(249);
    });

    test('limits the bytes alone, to the last one', async () => {
      subject.clock += 3_600_000;
      const store = await open({ maxPendingBytesInAll: 20 });
      while ((await store.purge()).more);
      const entries = [entry({ value: 'a'.repeat(10) }), entry({ value: 'b'.repeat(10) }), entry({ value: 'c' })];
      const counts = [];
      for (const one of entries) {
        subject.clock += 1;
        await store.keepPending(one);
        counts.push((await store.count()).pending);
      }
      expect(counts).toEqual([1, 2, 2]);
      const [first, ...others] = entries as [ReturnType<typeof entry>, ...ReturnType<typeof entry>[]];
      expect(await store.takePending(first.handle, first.browser)).toBeUndefined();
      for (const one of others) expect(await store.takePending(one.handle, one.browser)).toBe(one.value);
    });

    test('refuses a handle that is in use by name, even for two at once, and keeps the first sign-in', async () => {
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

    test('refuses one that is too large by name', async () => {
      const store = await open({ maxPendingBytes: 10 });
      await expect(store.keepPending(entry({ value: 'x'.repeat(11) }))).rejects.toThrow(
        /may hold at most 10 bytes; this one has 11/,
      );
      const whole = entry({ value: 'x'.repeat(10) });
      await store.keepPending(whole);
      expect(await store.takePending(whole.handle, whole.browser)).toBe(whole.value);
    });
  });
}
