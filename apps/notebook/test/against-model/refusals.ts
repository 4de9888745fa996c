import type { Aimed, Expected } from './calls.ts';
import { meet, type Notebook, type World } from './world.ts';

/** What every refusal has in common. */
export function refuse(status: number | readonly number[], code: string | readonly string[]): Expected {
  const headers = status === 401 ? { 'www-authenticate': /./ } : {};
  return { status, code, headers: { 'content-type': /^application\/problem\+json/, ...headers }, words: { must: [], may: [] } };
}

export const notFound = refuse(404, 'not_found');

/** Who may only be turned away by what they meet; undefined for those who may go on. */
export function turnAway(world: World, { aim }: Aimed, book: Notebook, wants: 'read' | 'own' | 'write'): Expected | undefined {
  const meets = meet(world, aim, book);
  if (meets === 'missing') return notFound;
  if (meets === 'taken-down') return refuse(410, 'taken_down');
  if (meets === 'owner') return undefined;
  if (meets === 'wrong-token') return refuse(403, 'edit_token_invalid');
  // It is opened in a browser (contract, "GET /api/notebooks/{slug}"); what its writes say is left open, for it is known to be there.
  if (meets === 'opens-once') return wants === 'read' ? notFound : refuse([401, 404], ['edit_token_missing', 'not_found']);
  if (wants === 'own' || (wants === 'write' && !book.openEditing)) return refuse(401, 'edit_token_missing');
  return meets === 'locked' ? refuse(401, 'password_required') : undefined;
}

export const bookOf = (world: World, { aim }: Aimed): Notebook => world.notebooks[aim.book]!;
