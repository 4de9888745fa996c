import { isExpired, isPastGrace } from './expiry.ts';
import type { Lifecycle, Notebook } from './notebook.ts';
import { Owner } from './rights.ts';

export interface Credentials {
  /** From `X-Edit-Token` or the edit link. */
  readonly editToken?: string | undefined;
  /** A valid unlock cookie for this notebook and its current password. */
  readonly unlocked?: boolean;
  /** The reader cookie of the reader who opened it. */
  readonly isReader?: boolean;
}

export type Access =
  | { readonly kind: 'owner'; readonly owner: Owner }
  | { readonly kind: 'reader' }
  | { readonly kind: 'locked' }
  | { readonly kind: 'opens-once' }
  | { readonly kind: 'wrong-token' }
  | { readonly kind: 'taken-down' }
  | { readonly kind: 'missing' };

export function lifecycle(notebook: Notebook, now: number): Lifecycle {
  if (isExpired(notebook.expiresAt, now)) return 'expired';
  return notebook.burnAfterRead && notebook.openedAt !== null ? 'burned' : 'active';
}

/** The access of a caller without the edit token. Unknown, expired, burned and private get the same answer. */
function withoutToken(notebook: Notebook, credentials: Credentials, now: number): Access {
  if (notebook.takenDownAt !== null) return { kind: 'taken-down' };
  if (notebook.visibility === 'private' || isExpired(notebook.expiresAt, now)) return { kind: 'missing' };
  const burned = notebook.burnAfterRead && notebook.openedAt !== null;
  if (burned && !credentials.isReader) return { kind: 'missing' };
  if (notebook.passwordHash !== null && !credentials.unlocked && !burned) return { kind: 'locked' };
  if (notebook.burnAfterRead && !burned) return { kind: 'opens-once' };
  return { kind: 'reader' };
}

/**
 * The access of a caller who has an image's address. An `<img>` cannot send a proof, so those 256 random bits stand in for the notebook's
 * password or privacy; only images that nobody may see any more are closed.
 */
export function decideImageAccess(
  notebook: Pick<Notebook, 'expiresAt' | 'takenDownAt'> | undefined,
  now: number,
): 'open' | 'taken-down' | 'missing' {
  if (!notebook) return 'missing';
  if (notebook.takenDownAt !== null) return 'taken-down';
  return isExpired(notebook.expiresAt, now) ? 'missing' : 'open';
}

/** The one access check that every route uses: view, print, .md, API, comments, search, previews. */
export function decideAccess(notebook: Notebook | undefined, credentials: Credentials, now: number): Access {
  if (!notebook) return { kind: 'missing' };
  const { editToken } = credentials;
  if (editToken === undefined) return withoutToken(notebook, credentials, now);
  const owner = Owner.check(notebook, editToken);
  if (!owner) {
    // A wrong token must not reveal that something hidden exists.
    const plain = withoutToken(notebook, credentials, now);
    return plain.kind === 'missing' || plain.kind === 'taken-down' ? plain : { kind: 'wrong-token' };
  }
  if (isPastGrace(notebook.expiresAt, now)) return { kind: 'missing' };
  return notebook.takenDownAt !== null ? { kind: 'taken-down' } : { kind: 'owner', owner };
}
