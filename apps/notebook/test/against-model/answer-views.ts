import { seenKey } from './answer-notebooks.ts';
import type { Aimed, Expected, Told } from './calls.ts';
import { bookOf } from './refusals.ts';
import { isFramed, showNotebook, wordsIn, wordsOf, wordsOfTitles } from './shown.ts';
import { isListed, meet, type Notebook, type World } from './world.ts';

type ViewCall = Aimed & { kind: 'view' | 'find' | 'search' | 'list' | 'by-token' };

const nothing = { must: [], may: [] };
const listed = (world: World) => world.notebooks.filter(book => isListed(book, world.now));

/** Pages, and what crawlers read. */
export function answerViews(world: World, call: ViewCall, told: Told): Expected {
  if (call.kind === 'list')
    return lists(
      world,
      world.notebooks.filter(book => isListed(book, world.now)),
    );
  if (call.kind === 'search') {
    const isHit = (book: Notebook) =>
      [book.title, ...book.pages.flatMap(page => [page.givenTitle, page.markdown])].some(text =>
        wordsIn(text).includes(call.word),
      );
    return lists(world, listed(world).filter(isHit));
  }
  const book = bookOf(world, call);
  if (call.kind === 'by-token') return byToken(world, book, call);
  const missing = missed(world, book, call);
  if (missing) return missing;
  return call.kind === 'find' ? find(book, call.word) : view(world, book, call, told);
}

/** Which of the run's notebooks are named. */
function lists(world: World, books: readonly Notebook[]): Expected {
  const slugs = (of: readonly Notebook[]) => [...new Set(of.map(({ slug }) => slug))];
  const named = slugs(books);
  return { status: 200, includes: named, excludes: slugs(world.notebooks).filter(slug => !named.includes(slug)) };
}

function byToken(world: World, book: Notebook, { aim }: Aimed): Expected {
  // A key that is used again gives the same edit token to another notebook.
  const own = world.notebooks.find(each => each.editToken === aim.token && !each.deleted) ?? book;
  const meets = meet(world, aim, own);
  if (meets === 'taken-down' && aim.token === own.editToken) return { status: 410, words: nothing };
  if (meets !== 'owner') return { status: 404, words: nothing };
  return {
    status: 200,
    headers: { 'cache-control': /no-store/, 'x-robots-tag': /noindex/ },
    words: { must: [], may: wordsOf(own) },
  };
}

/** What a reader sees who may not see the text. */
function missed(world: World, book: Notebook, call: ViewCall & { kind: 'view' | 'find' }): Expected | undefined {
  const meets = meet(world, call.aim, book);
  if (meets === 'missing') return { status: 404, words: nothing };
  if (meets === 'taken-down') return { status: 410, words: nothing };
  if (meets === 'wrong-token') return { status: 403, words: nothing };
  if (meets === 'locked') return { status: 401, words: nothing, headers: { 'www-authenticate': /./ } };
  // Some doors show how to open it, some have nothing.
  if (meets === 'opens-once') return { status: [200, 404], words: nothing };
  return undefined;
}

function view(world: World, book: Notebook, call: ViewCall & { kind: 'view' }, told: Told): Expected {
  const { door, head } = call;
  const isOwner = meet(world, call.aim, book) === 'owner';
  const page = door === 'page' ? book.pages.find(({ id }) => id === call.aim.pageId) : book.pages[0];
  if (!page) return { status: 404, words: { must: [], may: wordsOf(book) } };
  if (door === 'embed' && !(isFramed(book, world.now) && !isOwner)) return { status: [200, 404] };
  const isForVisitors = book.openEditing && !book.readOnly && !isOwner;
  if (door === 'edit' && !isForVisitors) return { status: [200, 303, 403, 404], words: { must: [], may: wordsOf(book) } };
  if (door === 'feed' && !isListed(book, world.now)) return { status: [200, 404], words: { must: [], may: wordsOf(book) } };
  const whole = book.pages.flatMap(each => wordsIn(each.markdown));
  const shown = door === 'print' || door === 'markdown' ? whole : wordsIn(page.markdown);
  const must = door === 'epub' || door === 'edit' || head ? [] : door === 'feed' ? wordsIn(book.title) : shown;
  const titles = door === 'view' || door === 'page' || door === 'print' ? wordsOfTitles(book) : [];
  const isPublic = book.visibility === 'public' && isListed(book, world.now);
  // A page names the time until which it can be read, and not whether that is over, nor the password that was asked before it.
  const body = JSON.stringify([
    { ...showNotebook(world, book, true), lifecycle: undefined, hasPassword: undefined },
    book.remarks,
  ]);
  if (told.status === 304) return { status: call.aim.seen?.body === body ? 304 : 200 };
  if (told.headers.etag) world.seen[seenKey(call)] = { etag: told.headers.etag, body };
  return {
    status: 200,
    empty: head,
    headers: {
      ...(isOwner || door === 'embed' || door === 'edit' || door === 'feed'
        ? {}
        : { 'cache-control': /private, no-cache|no-store/, etag: /./ }),
      ...((door === 'view' || door === 'page') && !isOwner && { 'x-robots-tag': isPublic ? null : /noindex/ }),
    },
    words: { must: head ? [] : [...must, ...titles], may: wordsOf(book) },
  };
}

function find(book: Notebook, word: string): Expected {
  const texts = book.pages.map(page => page.markdown);
  const isThere = texts.some(text => wordsIn(text).includes(word));
  return { status: 200, ...(isThere ? { includes: ['<mark>'] } : { excludes: ['<mark>'] }) };
}
