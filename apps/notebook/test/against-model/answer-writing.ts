import { type Aimed, drawn, type Expected, type Told } from './calls.ts';
import { bookOf, notFound, refuse, turnAway } from './refusals.ts';
import { showPage } from './shown.ts';
import { keepSnapshot, makesSnapshot, meet, type Notebook, type Page, type World } from './world.ts';

/** Adding, saving and deleting pages. */
export function answerWriting(world: World, call: Aimed & { kind: 'add-page' | 'save' | 'delete-page' }, told: Told): Expected {
  const book = bookOf(world, call);
  const away = turnAway(world, call, book, call.kind === 'delete-page' ? 'own' : 'write');
  if (away) return away;
  if (book.readOnly) return refuse(409, 'read_only');
  const byOwner = meet(world, call.aim, book) === 'owner';
  if (call.kind === 'add-page') return addPage(world, book, call, told, byOwner);
  const page = book.pages.find(each => each.id === call.aim.pageId);
  if (!page) return notFound;
  const isStale = !matches(call.aim.ifMatch, page);
  if (call.kind === 'delete-page') {
    if (book.pages.length === 1)
      return isStale ? { status: [409, 412], code: ['last_page', 'stale_revision'] } : refuse(409, 'last_page');
    if (isStale) return stale(book, page);
    book.pages.splice(book.pages.indexOf(page), 1);
    book.remarks = book.remarks.filter(remark => remark.pageId !== page.id);
    book.updatedAt = world.now;
    return { status: 204, empty: true };
  }
  if (isStale) return stale(book, page);
  const next = { givenTitle: call.title ?? page.givenTitle, markdown: call.text ?? page.markdown };
  return changePage(world, book, page, { ...next, byOwner, autosave: call.autosave });
}

function addPage(world: World, book: Notebook, call: Aimed & { kind: 'add-page' }, told: Told, byOwner: boolean): Expected {
  const { key } = call.aim;
  const before = key === undefined ? undefined : book.pages.find(page => page.key === key);
  if (before) return { status: 200, json: showPage(book, before), headers: { etag: `"${before.revision}"` } };
  const after = call.after === undefined ? undefined : book.pages.findIndex(page => page.id === call.aim.pageId);
  if (after === -1) return refuse([404, 422], ['not_found', 'invalid']);
  const page = newPage(drawn(told, 'id'), call.title ?? '', call.text ?? '', world.now, byOwner);
  page.key = key;
  book.pages.splice(after === undefined ? book.pages.length : after + 1, 0, page);
  book.pageIds.push(page.id);
  book.updatedAt = world.now;
  const location = `/api/notebooks/${book.slug}/pages/${page.id}`;
  return { status: 201, json: showPage(book, page), headers: { etag: '"1"', location } };
}

export function newPage(id: string, givenTitle: string, markdown: string, now: number, byOwner = true): Page {
  return {
    id,
    key: undefined,
    givenTitle,
    markdown,
    revision: 1,
    updatedAt: now,
    byOwner,
    snapshots: [],
    newestSnapshotAt: undefined,
  };
}

interface Change {
  readonly givenTitle: string;
  readonly markdown: string;
  readonly byOwner: boolean;
  readonly autosave: boolean;
}

/** A new snapshot's id is not told here; the list of snapshots tells it later. */
export function changePage(world: World, book: Notebook, page: Page, change: Change): Expected {
  const { givenTitle, markdown, byOwner, autosave } = change;
  if (givenTitle !== page.givenTitle || markdown !== page.markdown) {
    if (makesSnapshot(page, autosave, byOwner, world.now)) keepSnapshot(book, page, '', world.now, byOwner);
    Object.assign(page, { givenTitle, markdown, byOwner, revision: page.revision + 1, updatedAt: world.now });
    book.updatedAt = world.now;
  }
  return { status: 200, json: showPage(book, page), headers: { etag: `"${page.revision}"` } };
}

const stale = (book: Notebook, page: Page): Expected => ({
  status: 412,
  code: 'stale_revision',
  json: { page: showPage(book, page) },
});

const matches = (ifMatch: string | undefined, page: Page): boolean =>
  ifMatch === undefined || ifMatch === '*' || ifMatch === `"${page.revision}"`;
