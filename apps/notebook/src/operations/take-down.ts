import type { Needs } from './parts.ts';

/**
 * Takes a notebook away from everybody, its owner included: every route answers 410 from the next request on, and search drops it at once.
 * Nothing is deleted, so it can be undone. Its rows go when it expires, as always.
 */
export function takeDown(
  { store, now }: Needs<'store' | 'now'>,
  slug: string,
  undo = false,
): Promise<'changed' | 'unchanged' | 'missing'> {
  return store.takeDown(slug, undo ? null : now());
}
