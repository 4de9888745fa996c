import { changePage } from './answer-writing.ts';
import { type Aimed, drawn, type Expected, type Told } from './calls.ts';
import { bookOf, notFound, refuse, turnAway } from './refusals.ts';
import { showSnapshot } from './shown.ts';
import type { World } from './world.ts';

export function answerSnapshots(
  world: World,
  call: Aimed & { kind: 'snapshots' | 'snapshot' | 'restore' },
  told: Told,
): Expected {
  const book = bookOf(world, call);
  const away = turnAway(world, call, book, 'own');
  if (away) return away;
  const { pageId, id } = call.aim;
  const headers = { 'cache-control': /no-store/ };
  if (call.kind === 'snapshots') {
    const page = book.pages.find(each => each.id === pageId);
    if (!page) return notFound;
    // Their ids are told here for the first time.
    for (const [at, snapshot] of page.snapshots.entries()) snapshot.id ||= drawn(told, 'items', at, 'id');
    return { status: 200, headers, json: { items: page.snapshots.map(each => showSnapshot(book, page, each, false)) } };
  }
  const page = book.pages.find(each => each.snapshots.some(snapshot => id !== '' && snapshot.id === id));
  const isReadOnly = call.kind === 'restore' && book.readOnly;
  if (isReadOnly) return page ? refuse(409, 'read_only') : refuse([404, 409], ['not_found', 'read_only']);
  if (!page || (call.byPage && page.id !== pageId)) return notFound;
  const snapshot = page.snapshots.find(each => each.id === id)!;
  if (call.kind === 'snapshot') return { status: 200, headers, json: showSnapshot(book, page, snapshot, true) };
  const { givenTitle, markdown } = snapshot;
  return changePage(world, book, page, { givenTitle, markdown, byOwner: true, autosave: false });
}
