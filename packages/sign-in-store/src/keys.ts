import { createHash } from 'node:crypto';
import type { Row } from './engine.ts';
import { StoreError } from './errors.ts';

/**
 * The key under which something secret or long is stored. Session ids and browser cookies are credentials: a copy of the database
 * must not give away live sessions, so only their SHA-256 is stored.
 */
export function hashKey(...parts: readonly (string | undefined)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

const printable = /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e\x20])?$/;

/** Checks a key that the caller chose: 1 to 200 printable ASCII characters. @throws {@link StoreError} `STORE_INVALID` */
export function requireKey(value: string, name: string): string {
  if (typeof value === 'string' && printable.test(value)) return value;
  throw new StoreError('STORE_INVALID', `${name} must be 1 to 200 printable ASCII characters`);
}

/** Checks a secret handle, such as a session id. @throws {@link StoreError} `STORE_INVALID` */
export function requireHandle(value: string, name: string): string {
  if (typeof value === 'string' && value.length >= 16 && value.length <= 1024) return value;
  throw new StoreError('STORE_INVALID', `${name} must be random text of 16 to 1024 characters`);
}

/**
 * Checks that a row was written: it was not if its handle already exists. That is the caller's mistake, not an outage. Inside a
 * transaction, throwing rolls back everything else that was done in it. @throws {@link StoreError} `STORE_INVALID`
 */
export function requireUnused(written: readonly Row[], name: string): void {
  if (written.length === 0)
    throw new StoreError('STORE_INVALID', `this ${name} is already in use; create a new random one each time`);
}
