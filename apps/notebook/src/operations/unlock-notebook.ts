import { Refusal } from '../errors.ts';
import { createUnlockCookie } from '../model/cookies.ts';
import type { Needs } from './parts.ts';
import { findWithAccess, type PresentedCredentials } from './require-access.ts';
import { requireRateSlot } from './require-rate-slot.ts';
import { type Guesser, waitForGuess } from './slow-guesses.ts';

/**
 * The unlock cookie for a correct password; undefined when there is nothing to unlock (any more). Every attempt counts, right or wrong: 10
 * in 10 minutes per address and notebook; guesses at one notebook from many addresses are slowed down. A password burns nothing (contract,
 * "Burn after read").
 * @throws Refusal `not_found`, `taken_down`, `password_wrong` or `rate_limited`
 */
export async function unlockNotebook(
  parts: Needs<'store' | 'passwords' | 'secretKey' | 'now' | 'rateLimits'>,
  slug: string,
  password: string,
  presented: PresentedCredentials,
  client: Guesser,
): Promise<string | undefined> {
  const opened = await findWithAccess(parts, slug, { readerCookie: presented.readerCookie });
  if (!opened || opened.access.kind === 'missing') throw new Refusal('not_found');
  const { notebook, access } = opened;
  if (access.kind === 'taken-down') throw new Refusal('taken_down');
  if (access.kind !== 'locked' || notebook.passwordHash === null) return undefined;
  const key = `${client.key} ${notebook.id}`;
  await requireRateSlot(parts, 'password', key);
  const nothingTried = async (error: unknown) => {
    await parts.store.giveBackRateSlot({ name: 'password', key }, parts.now());
    throw error;
  };
  const giveBack = await waitForGuess(parts, notebook.id, { ...client, key }).catch(nothingTried);
  const isRight = await parts.passwords.matches(password, notebook.passwordHash, client.key).catch(async error => {
    // Too many attempts wait to be checked.
    await giveBack();
    return nothingTried(error);
  });
  if (!isRight) throw new Refusal('password_wrong');
  await giveBack();
  return createUnlockCookie(parts.secretKey, notebook, parts.now());
}
