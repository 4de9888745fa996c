import { createHmac, randomBytes } from 'node:crypto';
import { limits } from '../limits.ts';
import type { Store } from '../store/store.ts';

/**
 * The key that signs cookies, the same in all processes of a service: the operator's, or one that was generated once and is kept in the
 * database. An operator's key that is too short to be safe is combined with the kept one.
 */
export async function readSecretKey(store: Pick<Store, 'getSecret'>, given: string | undefined): Promise<string> {
  if (given !== undefined && given.length >= limits.strongSecretKeyChars) return given;
  const kept = await store.getSecret('secret-key', () => randomBytes(32).toString('base64url'));
  return given === undefined ? kept : createHmac('sha256', kept).update(given).digest('base64url');
}
