import { newPage } from './answer-writing.ts';
import { type Aimed, drawn, type Expected, type Settings, type Told } from './calls.ts';
import { bookOf, notFound, refuse, turnAway } from './refusals.ts';
import { showNotebook, showPage, wordsOf } from './shown.ts';
import { day, firstHeading, hour, meet, type Notebook, type Page, removeNotebook, slugIsTaken, type World } from './world.ts';

const durations = { '1h': hour, '1d': day, '7d': 7 * day };
const noStore = { 'cache-control': /no-store/ };

type NotebookCall = Aimed & {
  kind: 'create' | 'quick' | 'check-slug' | 'read' | 'read-own' | 'read-page' | 'settings' | 'order' | 'delete' | 'replace-link';
};

/** Creating, reading and changing notebooks. */
export function answerNotebooks(world: World, call: NotebookCall, told: Told): Expected {
  if (call.kind === 'create') return create(world, call, told);
  if (call.kind === 'quick') return quick(world, call, told);
  if (call.kind === 'check-slug') return checkSlug(world, call);
  const book = bookOf(world, call);
  if (call.kind === 'read-own') return readOwn(world, call);
  if (call.kind === 'read' || call.kind === 'read-page') {
    const away = turnAway(world, call, book, 'read');
    return away ?? read(world, book, call, told);
  }
  if (call.kind === 'replace-link' && isRepeated(world, book, call)) return linkAnswer(book.editToken);
  const away = turnAway(world, call, book, 'own');
  if (away) return away;
  if (call.kind === 'delete') {
    removeNotebook(book, world.now);
    return { status: 200, json: { deleted: true } };
  }
  if (call.kind === 'replace-link') return replaceLink(world.now, book, call, told);
  if (call.kind === 'settings') return changeSettings(world, book, call);
  return changeOrder(world, book, call.aim.order!);
}

function create(world: World, call: NotebookCall & { kind: 'create' }, told: Told): Expected {
  const { slug, key } = call.aim;
  const before =
    key &&
    world.notebooks.find(
      book => book.createKey === key && isFirst(book) && meet(world, { token: book.editToken, cookies: [] }, book) === 'owner',
    );
  if (before) return { status: 200, json: created(world, before), headers: noStore };
  // A key is used up when its notebook no longer opens by the first edit link.
  const usedUp = key !== undefined && world.notebooks.some(book => book.createKey === key && !book.deleted);
  if (usedUp) return refuse([409, 410, 422], ['slug_taken', 'taken_down', 'invalid', 'slug_reserved']);
  if (call.slug === 'reserved') return refuse(422, 'slug_reserved');
  if (call.slug === 'invalid') return refuse(422, 'invalid');
  const isTaken = call.slug !== undefined && slugIsTaken(world, slug);
  if (isPast(call, world.now)) return isTaken ? refuse([409, 422], ['slug_taken', 'invalid']) : refuse(422, 'invalid');
  if (isTaken) return refuse(409, 'slug_taken');
  const texts = call.texts.length > 0 ? call.texts : [''];
  const book = addNotebook(world, texts, told, call.settings.title ?? '');
  if (call.slug !== undefined) book.slug = slug;
  book.createKey = key;
  apply(book, call, call.settings, world.now);
  return { status: 201, json: created(world, book), headers: { ...noStore, location: `/n/${book.slug}` } };
}

/** A key is worth as much as the edit token that it gave. */
const isFirst = (book: Notebook): boolean => book.formerTokens.length === 0;

function quick(world: World, call: NotebookCall & { kind: 'quick' }, told: Told): Expected {
  const book = addNotebook(world, [call.text], told, firstHeading(call.text) || firstLine(call.text));
  if (call.as === 'curl') return { status: 201, includes: [`view http://localhost/n/${book.slug}`, `/e/${book.editToken}`] };
  return { status: 201, json: created(world, book), headers: { ...noStore, location: `/n/${book.slug}` } };
}

/** As it is shown: the only Markdown in these first lines is code. */
const firstLine = (text: string): string => (text.split(/\r?\n/).find(line => line.trim() !== '') ?? '').replaceAll('`', '');

const titleOfNotebook = (given: string, firstText = ''): string => given || firstHeading(firstText) || 'Untitled notebook';

function addNotebook(world: World, texts: readonly string[], told: Told, title: string): Notebook {
  const { now } = world;
  const lines = /view \S+\/n\/(\S+)\s+edit \S+\/e\/(\S+)/.exec(told.text);
  const pages = texts.map((text, at) => newPage(drawn(told, 'notebook', 'pages', at, 'id'), '', text, now));
  const book: Notebook = {
    slug: drawn(told, 'notebook', 'slug') || (lines?.[1] ?? ''),
    editToken: drawn(told, 'editToken') || (lines?.[2] ?? ''),
    formerTokens: [],
    replacement: undefined,
    createKey: undefined,
    title: titleOfNotebook(title, texts[0]),
    visibility: 'unlisted',
    expiresAt: null,
    password: null,
    passwordNumber: 0,
    readOnly: false,
    burnAfterRead: false,
    openedAt: null,
    openings: 0,
    openEditing: false,
    embedding: false,
    comments: true,
    paper: 'plain',
    createdAt: now,
    updatedAt: now,
    pages,
    pageIds: pages.map(({ id }) => id),
    snapshotIds: [],
    remarks: [],
    remarkIds: [],
    images: [],
    imageIds: [],
    takenDown: false,
    deleted: false,
    slugFreeAt: 0,
  };
  world.notebooks.push(book);
  return book;
}

function created(world: World, book: Notebook): object {
  const { slug, editToken } = book;
  const [viewUrl, editUrl] = [`http://localhost/n/${slug}`, `http://localhost/e/${editToken}`];
  return { notebook: showNotebook(world, book, true), editToken, viewUrl, editUrl };
}

function checkSlug(world: World, call: NotebookCall & { kind: 'check-slug' }): Expected {
  const { slug } = call.aim;
  const no = (reason: string): Expected => ({ status: 200, json: { slug, available: false, reason } });
  if (call.slug === 'reserved' || call.slug === 'invalid') return no(call.slug);
  return slugIsTaken(world, slug) ? no('taken') : { status: 200, json: { slug, available: true } };
}

function readOwn(world: World, { aim }: Aimed): Expected {
  if (aim.token === undefined) return refuse(401, 'edit_token_missing');
  const own = world.notebooks.find(book => book.editToken === aim.token && !book.deleted);
  if (!own) return notFound;
  const meets = meet(world, aim, own);
  if (meets === 'taken-down') return refuse(410, 'taken_down');
  return meets === 'owner' ? { status: 200, json: showNotebook(world, own, true), headers: noStore } : notFound;
}

function read(world: World, book: Notebook, call: NotebookCall & { kind: 'read' | 'read-page' }, told: Told): Expected {
  const isOwner = meet(world, call.aim, book) === 'owner';
  const isOpen = !isOwner && book.password === null && !book.burnAfterRead;
  const page = book.pages.find(each => each.id === call.aim.pageId);
  if (call.kind === 'read-page' && !page) return notFound;
  const cache = isOpen ? {} : noStore;
  if (call.kind === 'read' && call.markdown) {
    const words = wordsOf({ ...book, comments: false, title: '' });
    return { status: 200, headers: { ...cache, 'content-type': /^text\/markdown/ }, words: { must: words, may: wordsOf(book) } };
  }
  // A notebook that was created for a terminal has pages whose ids are told here for the first time.
  if (call.kind === 'read') for (const [at, each] of book.pages.entries()) tellId(book, each, drawn(told, 'pages', at, 'id'));
  const json = call.kind === 'read' ? showNotebook(world, book, isOwner) : showPage(book, page!);
  const body = JSON.stringify(json);
  // The name that a page has only by its place may change while the page stays.
  const isNamed = call.kind === 'read' || page!.givenTitle !== '' || firstHeading(page!.markdown) !== '';
  if (call.aim.seen?.body === body && (isNamed || told.status === 304))
    return { status: 304, empty: true, headers: { etag: call.aim.seen.etag } };
  const etag = call.kind === 'read' ? /^W\/"/ : `"${page!.revision}"`;
  if (told.headers.etag) world.seen[seenKey(call)] = { etag: told.headers.etag, body };
  return { status: 200, json, headers: { ...cache, etag } };
}

function tellId(book: Notebook, page: Page, id: string): void {
  if (page.id !== '') return;
  book.pageIds[book.pageIds.indexOf('')] = id;
  page.id = id;
}

/** ETags of one address and one kind of reader. */
export function seenKey(call: Aimed): string {
  const page = 'page' in call ? call.aim.pageId : '';
  const door = call.kind === 'view' ? call.door : '';
  return [call.kind, door, call.aim.book, page, call.aim.token === undefined ? 'reader' : 'owner'].join(' ');
}

const isPast = ({ aim: { expiresAt } }: Aimed, now: number): boolean =>
  expiresAt !== undefined && expiresAt !== null && expiresAt <= now;

function apply(book: Notebook, { aim }: Aimed, change: Settings, now: number): void {
  const { title, expires: _, expiresIn, password, ...rest } = change;
  if (title !== undefined) book.title = titleOfNotebook(title, book.pages[0]?.markdown);
  if (aim.expiresAt !== undefined) book.expiresAt = aim.expiresAt;
  if (expiresIn !== undefined) book.expiresAt = now + durations[expiresIn];
  if (password !== undefined && (password !== null || book.password !== null)) {
    book.password = password;
    book.passwordNumber += 1;
  }
  if (rest.burnAfterRead === false) book.openedAt = null;
  Object.assign(book, rest);
}

function changeSettings(world: World, book: Notebook, call: NotebookCall & { kind: 'settings' }): Expected {
  if (isPast(call, world.now)) return refuse(422, 'invalid');
  const before = JSON.stringify(book);
  apply(book, call, call.change, world.now);
  if (JSON.stringify(book) !== before) book.updatedAt = world.now;
  return { status: 200, json: showNotebook(world, book, true), headers: noStore };
}

function changeOrder(world: World, book: Notebook, order: readonly string[]): Expected {
  const pages = order.map(id => book.pages.find(page => page.id === id));
  const isWhole = pages.length === book.pages.length && book.pages.every(page => pages.includes(page));
  if (book.readOnly) return isWhole ? refuse(409, 'read_only') : refuse([409, 422], ['read_only', 'invalid']);
  if (!isWhole) return refuse(422, 'invalid');
  if (order.join() !== book.pages.map(({ id }) => id).join()) book.updatedAt = world.now;
  book.pages = pages as Page[];
  return { status: 200, json: showNotebook(world, book, true) };
}

function replaceLink(now: number, book: Notebook, call: NotebookCall & { kind: 'replace-link' }, told: Told): Expected {
  const to = drawn(told, 'editToken');
  book.replacement = call.aim.key ? { from: book.editToken, key: call.aim.key, to } : undefined;
  book.formerTokens.push(book.editToken);
  book.editToken = to;
  book.updatedAt = now;
  return linkAnswer(to);
}

const linkAnswer = (editToken: string): Expected => ({
  status: 200,
  json: { editToken, editUrl: `http://localhost/e/${editToken}` },
  headers: noStore,
});

/** The same request again: the answer to the first may have been lost. */
function isRepeated(world: World, book: Notebook, { aim }: Aimed): boolean {
  const { replacement } = book;
  if (replacement === undefined || replacement.key !== aim.key || replacement.from !== aim.token) return false;
  return replacement.to === book.editToken && meet(world, { ...aim, token: replacement.to }, book) === 'owner';
}
