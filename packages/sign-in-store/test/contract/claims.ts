import { describe, expect, test } from 'vitest';
import { claimKey, type Subject } from './subject.ts';

export function claimsContract(subject: Subject): void {
  const { open, at } = subject;

  describe('replay claims', () => {
    test('accepts the first claim only, also across connections', async () => {
      const [one, two] = [await open(), await open()];
      const name = claimKey();
      expect(await one.replay.claim(name, at(60))).toBe(true);
      expect(await one.replay.claim(name, at(60))).toBe(false);
      expect(await two.replay.claim(name, at(3600))).toBe(false);
    });

    test('accepts exactly one of fifty claims at once', async () => {
      const [one, two] = [await open(), await open()];
      const name = claimKey();
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => (n % 2 ? one : two).replay.claim(name, at(60))));
      expect(answers.filter(Boolean)).toHaveLength(1);
    });

    test('accepts a released or expired claim again', async () => {
      const store = await open();
      const name = claimKey();
      await store.replay.claim(name, at(60));
      await store.replay.release(name);
      expect(await store.replay.claim(name, at(60))).toBe(true);
      subject.clock += 60_000;
      expect(await store.replay.claim(name, at(60))).toBe(true);
      expect(await store.replay.claim(name, at(60))).toBe(false);
    });

    test('compares keys by case and in full', async () => {
      const store = await open();
      const name = claimKey().padEnd(199, 'x');
      for (const variant of [`${name}a`, `${name}A`, `${name} `]) expect(await store.replay.claim(variant, at(60))).toBe(true);
    });

    test('takes a key of an attacker for what it is, and for no statement (CVE-2025-9943)', async () => {
      const store = await open();
      const other = claimKey();
      await store.replay.claim(other, at(60));
      for (const name of ["'; DELETE FROM sign_in_claim; --", "x' OR '1'='1", '"; x', '%', '_%', '\\', '$1', '?']) {
        const key = `${claimKey()} ${name}`;
        expect(await store.replay.claim(key, at(60))).toBe(true);
        expect(await store.replay.claim(key, at(60))).toBe(false);
        await store.replay.release(key);
        expect(await store.replay.claim(key, at(60))).toBe(true);
        expect(await store.findPending(`${name}${'x'.repeat(20)}`, name)).toBeUndefined();
        expect(await store.findSession(`${name}${'x'.repeat(20)}`)).toBeUndefined();
      }
      expect(await store.replay.claim(other, at(60))).toBe(false);
    });

    test.each(['', 'ä', 'a\nb', 'x'.repeat(201)])('refuses an ambiguous key: %j', async name => {
      const store = await open();
      await expect(store.replay.claim(name, at(60))).rejects.toMatchObject({ code: 'STORE_INVALID' });
    });
  });
}
