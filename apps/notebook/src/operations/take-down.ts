import type { Needs } from './parts.ts';

/**
 * The operator removes a notebook from everybody, its owner included: 410 at every door from the next request on, and out of the
 * search at once. Nothing is deleted, so it can be taken back. Rows go with the expiry, as always.
 */
export function takeDown(
  { store, now }: Needs<'store' | 'now'>,
  slug: string,
  undo = false,
): Promise<'changed' | 'unchanged' | 'missing'> {
  return store.takeDown(slug, undo ? null : now());
}
