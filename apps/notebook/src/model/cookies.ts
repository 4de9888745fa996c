import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { limits } from '../limits.ts';
import type { Notebook } from './notebook.ts';

/** `nb_unlock_{slug}` (spec 1 §2 "Unlock cookie"). */
export function unlockCookieName(slug: string): string {
  return `nb_unlock_${slug}`;
}

/** Held by the browser that opened a burn-after-read notebook. */
export function readerCookieName(slug: string): string {
  return `nb_reader_${slug}`;
}

export const unlockCookieSeconds = limits.unlockHours * 3_600;
export const readerCookieSeconds = limits.readerCookieMinutes * 60;

/** No clock of ours is further ahead than this: a time beyond it was written by a clock that was wrong, and is ignored. */
const clockSlackMs = 3_600_000;

type Lockable = Pick<Notebook, 'id' | 'passwordHash'>;

/** Binds the cookie to the notebook and its current password: it is useless for any other notebook, and after the password changes. */
function sign(secret: string, notebook: Lockable, expiresAt: number): Buffer {
  return createHmac('sha256', secret).update(`unlock\n${notebook.id}\n${notebook.passwordHash}\n${expiresAt}`).digest();
}

/** `{expiry in ms}.{HMAC-SHA256}`, set after a correct password. */
export function createUnlockCookie(secret: string, notebook: Lockable, now: number): string {
  const expiresAt = now + unlockCookieSeconds * 1_000;
  return `${expiresAt}.${sign(secret, notebook, expiresAt).toString('base64url')}`;
}

export function isUnlockedBy(cookie: string | undefined, secret: string, notebook: Lockable, now: number): boolean {
  const match = /^(\d{1,15})\.([A-Za-z0-9_-]{43})$/.exec(cookie ?? '');
  if (!match || notebook.passwordHash === null) return false;
  const expiresAt = Number(match[1]);
  if (now >= expiresAt || expiresAt - now > unlockCookieSeconds * 1_000 + clockSlackMs) return false;
  return timingSafeEqual(sign(secret, notebook, expiresAt), Buffer.from(match[2]!, 'base64url'));
}

export function hashReaderCookie(cookie: string): string {
  return createHash('sha256').update(cookie).digest('hex');
}

/** Whether the cookie belongs to the one reader of a burn-after-read notebook, within ten minutes of opening it. */
export function isReaderCookie(
  cookie: string | undefined,
  notebook: Pick<Notebook, 'openedAt' | 'readerHash'>,
  now: number,
): boolean {
  const { openedAt, readerHash } = notebook;
  if (cookie === undefined || openedAt === null || readerHash === null) return false;
  if (now >= openedAt + readerCookieSeconds * 1_000 || openedAt - now > clockSlackMs) return false;
  return timingSafeEqual(Buffer.from(hashReaderCookie(cookie), 'hex'), Buffer.from(readerHash, 'hex'));
}
