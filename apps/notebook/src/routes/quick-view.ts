import type { IncomingHttpHeaders } from 'node:http';
import { workFor } from '../event-loop-turns.ts';
import { type Coding, chooseCoding, FinishedPage } from '../http/answers/compressed.ts';
import { headerLine, prepareHead, type ReadyStatus } from '../http/answers/ready-answer.ts';
import { RecentKeys } from '../http/answers/recent-keys.ts';
import { RecentlyUsed } from '../http/answers/recently-used.ts';
import type { HtmlHeaders } from '../http/answers/security-headers.ts';
import type { QuickRoute, Ready } from '../http/front-door.ts';
import type { Notebook } from '../model/notebook.ts';
import { isSlug } from '../model/slug.ts';
import { accessOf } from '../operations/require-access.ts';
import { urls } from '../urls.ts';
import { etagMatches, type RouteContext } from './context.ts';
import { viewKey } from './draw-view.ts';
import { cacheControlOf, openPageCacheControl, viewHeaders } from './view.ts';

interface Place {
  readonly slug: string;
  readonly pageId: string | undefined;
}

/** A record, and the state number under which it is valid (`SyncReads.state`). */
interface Known extends Place {
  notebook: Notebook;
  key: string;
  state: number;
}

/** Limit of records in memory; a few hundred bytes each. */
const maxKnown = 8_192;
/** A page enters memory at its second view within about this many others, so that pages read once don't push out popular ones. */
const recentKeys = 4_096;
/** Prepared heads without the headers of a single page. Each expiry time has its own. */
const maxHeads = 64;

const viewPath = urls.view('');
const pagePath = /^\/n\/([a-z0-9-]{1,64})\/p\/([a-z0-9]{1,64})$/;

export interface QuickViewOptions {
  /** Sent with every answer. */
  readonly commonHeaders: Readonly<Record<string, string>>;
  readonly htmlHeaders: HtmlHeaders;
}

/** The address of a view, or of one page of it, without a query. The framework handles any other address. */
function placeOf(url: string, isPage: boolean): Place | undefined {
  if (!isPage) {
    const slug = url.slice(viewPath.length);
    return isSlug(slug) ? { slug, pageId: undefined } : undefined;
  }
  const [, slug, pageId] = pagePath.exec(url) ?? [];
  return slug !== undefined && isSlug(slug) ? { slug, pageId } : undefined;
}

/**
 * `GET /n/{slug}` and `GET /n/{slug}/p/{id}` for a caller without a proof, of a notebook that everybody with the link may read. The access
 * check is the same as for every route, on the record as it is at this moment: read again, or known to be unchanged. Unless it answers
 * `reader` and the page is finished, the framework answers (routes/view.ts).
 */
export function quickViews(context: RouteContext, options: QuickViewOptions): QuickRoute[] {
  const { parts, cache, build } = context;
  const { store } = parts;
  const { sync } = store;
  const known = new RecentlyUsed<string, Known>();
  const asked = new RecentKeys(recentKeys);
  const heads = new Map<string, string>();

  const keyOf = (notebook: Notebook, pageId: string | undefined) => viewKey({ notebook, access: { kind: 'reader' } }, pageId);

  function mayEverybodyRead(notebook: Notebook): boolean {
    const access = accessOf(parts, notebook, {});
    return access.kind === 'reader' && cacheControlOf({ notebook, access }) === openPageCacheControl;
  }

  /** Most pages share all headers except those that name the page; the shared part is built once. */
  function headOf(status: ReadyStatus, notebook: Notebook, { frames, etag }: FinishedPage, coding: Coding = 'plain'): string {
    const view = viewHeaders({ notebook, access: { kind: 'reader' } });
    let kind = `${status} ${frames} ${coding}`;
    for (const name in view) kind += ` ${view[name]}`;
    let head = heads.get(kind);
    if (head === undefined) {
      head = prepareHead(status, {
        ...options.commonHeaders,
        ...view,
        ...options.htmlHeaders({ frames }),
        vary: 'Accept-Encoding',
        ...(coding === 'plain' ? {} : { 'content-encoding': coding }),
      });
      if (heads.size >= maxHeads) heads.clear();
      heads.set(kind, head);
    }
    return head + headerLine('etag', etag);
  }

  function readyOf(notebook: Notebook, page: FinishedPage, headers: IncomingHttpHeaders): Ready | undefined {
    const match = headers['if-none-match'];
    if (match !== undefined && etagMatches(match, page.etag)) {
      page.heads[304] ??= headOf(304, notebook, page);
      return { status: 304, head: page.heads[304] };
    }
    const coding = chooseCoding(headers['accept-encoding']);
    const body = page.find(coding);
    if (!body) return undefined;
    page.heads[coding] ??= headOf(200, notebook, page, coding) + headerLine('content-length', body.length);
    return { status: 200, head: page.heads[coding], body };
  }

  function remember(url: string, place: Place, notebook: Notebook, state: number): Known {
    const one = { ...place, notebook, key: keyOf(notebook, place.pageId), state };
    known.set(url, one);
    if (known.size > maxKnown) known.delete(known.oldest()!.key);
    return one;
  }

  type Found = Awaited<ReturnType<typeof store.findViewed>>;

  /** The answer from one read: the record, and the page as it was kept. */
  function fromKept(url: string, place: Place, viewed: Found, state: number, headers: IncomingHttpHeaders): Ready | undefined {
    if (!viewed || !mayEverybodyRead(viewed.notebook)) {
      known.delete(url);
      return undefined;
    }
    const { notebook, finished } = viewed;
    const again = known.peek(url) !== undefined || asked.record(url);
    if (!again && finished) {
      const ready = readyOf(notebook, FinishedPage.fromStored(finished), headers);
      if (ready) return ready;
    }
    const { key } = remember(url, place, notebook, state);
    let page = cache.find(key);
    if (!page) {
      if (!finished) return undefined;
      page = FinishedPage.fromStored(finished);
      cache.put(key, page);
    }
    return readyOf(notebook, page, headers);
  }

  /** The answer from memory, if the page is there. The record is current. */
  function fromMemory(one: Known, headers: IncomingHttpHeaders): Ready | undefined | 'unfinished' {
    if (!mayEverybodyRead(one.notebook)) return undefined;
    const page = cache.find(one.key);
    return page ? readyOf(one.notebook, page, headers) : 'unfinished';
  }

  function findSync(db: NonNullable<typeof sync>, isPage: boolean): QuickRoute['find'] {
    const readKept = (url: string, place: Place, state: number, headers: IncomingHttpHeaders) =>
      fromKept(url, place, db.findViewed(place.slug, place.pageId, build), state, headers);
    return (url, headers, shared, client) => {
      // Taken before anything is read: after a change in between, the number is too old and the record is read again.
      const state = db.state(shared);
      const one = known.get(url);
      const place = one ?? placeOf(url, isPage);
      if (!place) return undefined;
      try {
        if (one && one.state !== state) {
          const notebook = db.findNotebookBySlug(one.slug);
          if (!notebook) {
            known.delete(url);
            return undefined;
          }
          if (notebook.version !== one.notebook.version || notebook.id !== one.notebook.id) one.key = keyOf(notebook, one.pageId);
          one.notebook = notebook;
          one.state = state;
        }
        const found = one ? fromMemory(one, headers) : 'unfinished';
        if (found !== 'unfinished') return found;
        if (!db.isSlow()) return readKept(url, place, state, headers);
        const prefetched = workFor(client(), () => db.prefetchViewed(place.slug, place.pageId, build));
        return prefetched.then(() => readKept(url, place, state, headers));
      } catch {
        // The framework queries again, waits if that helps, and reports the fault.
        return undefined;
      }
    };
  }

  /** PostgreSQL reports changes only after they were answered, so every request queries it: for a page in memory, only the record. */
  function findByQuery(isPage: boolean): QuickRoute['find'] {
    const ask = async (url: string, place: Place, one: Known | undefined, headers: IncomingHttpHeaders) => {
      if (one && cache.find(one.key)) {
        const notebook = await store.findNotebookBySlug(place.slug);
        if (!notebook) return undefined;
        const found = fromMemory(remember(url, place, notebook, 0), headers);
        if (found !== 'unfinished') return found;
      }
      return fromKept(url, place, await store.findViewed(place.slug, place.pageId, build), 0, headers);
    };
    return (url, headers, _shared, client) => {
      const one = known.get(url);
      const place = one ?? placeOf(url, isPage);
      return place && workFor(client(), () => ask(url, place, one, headers));
    };
  }

  const find = (isPage: boolean) => (sync ? findSync(sync, isPage) : findByQuery(isPage));
  return [
    {
      route: urls.view(':slug'),
      takes: url => url.startsWith(viewPath) && url.indexOf('/', viewPath.length) === -1,
      find: find(false),
    },
    {
      route: urls.viewPage(':slug', ':pageId'),
      takes: url => url.startsWith(viewPath) && url.includes('/p/', viewPath.length),
      find: find(true),
    },
  ];
}
