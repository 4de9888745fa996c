import { expect, it } from 'vitest';
import {
  createUnlockCookie,
  hashReaderCookie,
  isReaderCookie,
  isUnlockedBy,
  readerCookieName,
  readerCookieSeconds,
  unlockCookieName,
  unlockCookieSeconds,
} from './cookies.ts';

const now = Date.UTC(2026, 2, 1);
const locked = { id: '0'.repeat(32), passwordHash: '$2b$12$x' };

it('are named after their notebook, and last a day and ten minutes', () => {
  expect([unlockCookieName('a-slug'), readerCookieName('a-slug')]).toEqual(['nb_unlock_a-slug', 'nb_reader_a-slug']);
  expect([unlockCookieSeconds, readerCookieSeconds]).toEqual([86_400, 600]);
});

it('an unlock cookie opens its notebook until its time is over', () => {
  const cookie = createUnlockCookie('secret', locked, now);
  const opens = (given: string | undefined, at = now, notebook: Parameters<typeof isUnlockedBy>[2] = locked, secret = 'secret') =>
    isUnlockedBy(given, secret, notebook, at);
  const end = now + 86_400_000;
  expect([opens(cookie), opens(cookie, end - 1), opens(cookie, end)]).toEqual([true, true, false]);
  expect(cookie.startsWith(`${end}.`)).toBe(true);
  // A cookie signed by a clock that was ahead works for no longer than a day and an hour.
  expect([opens(cookie, now - 3_600_000), opens(cookie, now - 3_600_001)]).toEqual([true, false]);
  expect(opens(cookie, now, { ...locked, id: '1'.repeat(32) })).toBe(false);
  expect(opens(cookie, now, { ...locked, passwordHash: '$2b$12$y' })).toBe(false);
  expect(opens(cookie, now, locked, 'another secret')).toBe(false);
  // Signed for a notebook without a password, it opens none: removing the password and setting it again lets nobody in.
  const unlocked = { ...locked, passwordHash: null };
  expect(opens(createUnlockCookie('secret', unlocked, now), now, unlocked)).toBe(false);
});

it.each([
  ['none', () => undefined],
  ['an empty one', () => ''],
  ['a later end', (cookie: string) => `9${cookie.slice(1)}`],
  ['an end too long for a number', (cookie: string) => `${'9'.repeat(16)}${cookie.slice(cookie.indexOf('.'))}`],
  ['a word before', (cookie: string) => `x${cookie}`],
  ['a word behind', (cookie: string) => `${cookie}x`],
  ['a line break behind', (cookie: string) => `${cookie}\n`],
  ['no signature', (cookie: string) => cookie.slice(0, cookie.indexOf('.') + 1)],
  ['a short signature', (cookie: string) => cookie.slice(0, -1)],
])('an unlock cookie with %s opens nothing', (_, change) => {
  expect(isUnlockedBy(change(createUnlockCookie('secret', locked, now)), 'secret', locked, now)).toBe(false);
});

it('a reader cookie is good for the ten minutes after the one opening', () => {
  const opened = { openedAt: now, readerHash: hashReaderCookie('a cookie') };
  expect(opened.readerHash).toMatch(/^[0-9a-f]{64}$/);
  const reads = (cookie: string | undefined, at: number, notebook: Parameters<typeof isReaderCookie>[1] = opened) =>
    isReaderCookie(cookie, notebook, at);
  expect([reads('a cookie', now), reads('a cookie', now + 599_999), reads('a cookie', now + 600_000)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([reads('another', now), reads(undefined, now)]).toEqual([false, false]);
  // The clock went back: up to an hour, the reader keeps the promised time; beyond that, the cookie is not accepted.
  expect([reads('a cookie', now - 3_600_000), reads('a cookie', now - 3_600_001)]).toEqual([true, false]);
  expect(reads('a cookie', now, { ...opened, openedAt: null })).toBe(false);
  expect(reads('a cookie', now, { ...opened, readerHash: null })).toBe(false);
});
