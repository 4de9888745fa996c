import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { limits } from '../limits.ts';

export type RandomBytes = (size: number) => Uint8Array;

/** 32 random bytes as 43 base64url characters (spec 1 §2 "Edit token"). The raw value is answered once and never stored. */
export function createEditToken(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(limits.editTokenBytes)).toString('base64url');
}

/**
 * The token that replaces `old` for a request with this key: the same one each time, so that a client that lost the answer may ask again.
 * Computing it takes the old token, the key and our secret.
 */
export function deriveEditToken(
  secret: string,
  { notebookId, old, key }: { notebookId: string; old: string; key: string },
): string {
  return createHmac('sha256', secret).update(`edit-token\n${notebookId}\n${old}\n${key}`).digest('base64url');
}

/**
 * The token of the notebook that a request with this key creates: the same one each time, so that a client that lost the answer may ask
 * again. Computing it takes the key and our secret.
 */
export function deriveFirstEditToken(secret: string, key: string): string {
  return createHmac('sha256', secret).update(`first-edit-token\n${key}`).digest('base64url');
}

export function isEditToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** SHA-256 of the token's characters, in hex: the only form that is stored. */
export function hashEditToken(editToken: string): string {
  return createHash('sha256').update(editToken).digest('hex');
}

/** Compares in constant time, so that the response time reveals nothing about the stored hash. */
export function editTokenMatches(editToken: string, editTokenHash: string): boolean {
  const given = createHash('sha256').update(editToken).digest();
  const kept = Buffer.from(editTokenHash, 'hex');
  return kept.length === given.length && timingSafeEqual(given, kept);
}
