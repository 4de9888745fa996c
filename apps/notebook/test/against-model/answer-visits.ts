import type { Aimed, Expected, Told } from './calls.ts';
import { bookOf, notFound, refuse } from './refusals.ts';
import { type Cookie, meet, readerCookieUntil, unlockCookieUntil, type Who, type World } from './world.ts';

/** Unlocking with the password, and opening once. */
export function answerVisits(world: World, call: Aimed & { kind: 'unlock' | 'open' }, told: Told): Expected {
  const book = bookOf(world, call);
  const meets = meet(world, call.aim, book);
  if (meets === 'missing') return notFound;
  if (meets === 'taken-down') return refuse(410, 'taken_down');
  if (meets === 'wrong-token') return refuse(403, 'edit_token_invalid');
  const give = (kind: Cookie['kind'], until: number, number: number) =>
    keepCookie(world, call.who, { kind, until, number, notebook: world.notebooks.indexOf(book) }, told);
  if (call.kind === 'unlock') {
    if (book.password === null || (meets === 'reader' && book.burnAfterRead)) return { status: [204, 401] };
    if (call.password !== book.password) return refuse(401, 'password_wrong');
    give('unlock', unlockCookieUntil(world.now), book.passwordNumber);
    return { status: 204, empty: true, headers: { 'set-cookie': new RegExp(`^nb_unlock_${book.slug}=.*HttpOnly`, 'i') } };
  }
  if (meets === 'locked') return refuse(401, 'password_required');
  if (meets !== 'opens-once') return notFound;
  book.openedAt = world.now;
  book.openings += 1;
  give('reader', readerCookieUntil(world.now), book.openings);
  return { status: 303, headers: { location: `/n/${book.slug}`, 'set-cookie': /HttpOnly/i } };
}

function keepCookie(world: World, jar: Who, cookie: Omit<Cookie, 'jar' | 'name' | 'value'>, { headers }: Told): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(headers['set-cookie'] ?? '') ?? [];
  world.cookies.push({ jar, name, value, ...cookie });
}
