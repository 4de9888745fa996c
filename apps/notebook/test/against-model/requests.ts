import { seenKey } from './answer-notebooks.ts';
import type { Aim, Aimed, Call, Settings } from './calls.ts';
import { credentialsOf, type Notebook, type World } from './world.ts';

export interface Request {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Buffer;
}

/** A grey dot. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==',
  'base64',
);

/** Letters that only this run has, and the words and addresses that are made of them. */
export interface Run {
  readonly mark: string;
}
export const inRun = ({ mark }: Run, text: string): string => text.replaceAll('§', `qzx${mark}xzq`);
export const slugInRun = ({ mark }: Run, slug: number): string => `slug-${mark}-${slug}`;

const at = <Item>(items: readonly Item[], number: number): Item | undefined => items[number % Math.max(1, items.length)];

/** Aims a call at what there is now, and puts the run's letters into its texts. */
export function aim(world: World, run: Run, call: Call): Aimed {
  const text = JSON.stringify(call, (_, value: unknown) => (typeof value === 'string' ? inRun(run, value) : value));
  const own = JSON.parse(text) as Call;
  const book = 'book' in own ? own.book % Math.max(1, world.notebooks.length) : 0;
  const notebook = world.notebooks[book];
  const aimed = {
    ...own,
    aim: { book, slug: notebook?.slug ?? '', pageId: '', id: '', cookies: [], ...pick(world, run, own, notebook) },
  };
  const again = 'again' in own && own.again ? world.seen[seenKey(aimed)] : undefined;
  return { ...aimed, aim: { ...aimed.aim, seen: again } };
}

function pick(world: World, run: Run, call: Call, book: Notebook | undefined): Partial<Aim> {
  if (call.kind === 'create' || call.kind === 'check-slug') {
    const { slug } = call;
    const words = { reserved: 'quick', invalid: 'Not-A-Slug' };
    const name = slug === undefined ? '' : typeof slug === 'number' ? slugInRun(run, slug) : words[slug];
    const key = call.kind === 'create' && call.key !== undefined ? `create-${run.mark}-${'k'.repeat(16)}-${call.key}` : undefined;
    return { slug: name, key, ...(call.kind === 'create' && expiryOf(call.settings, world.now)) };
  }
  if (!book) return {};
  if (call.kind === 'by-token')
    return { token: call.which === 'current' ? book.editToken : (book.formerTokens.at(-1) ?? 'C'.repeat(43)) };
  const by = 'who' in call ? credentialsOf(world, call.who, book) : { cookies: [] };
  return { ...by, ...targetOf(call, book), ...(call.kind === 'settings' && expiryOf(call.change, world.now)) };
}

const expiryOf = ({ expires }: Settings, now: number): Partial<Aim> =>
  expires === undefined ? {} : { expiresAt: expires === null ? null : now + expires };

function targetOf(call: Call, book: Notebook): Partial<Aim> {
  const pageId = ('page' in call && call.page !== undefined && at(book.pageIds, call.page)) || '';
  const page = book.pages.find(each => each.id === pageId);
  if (call.kind === 'order') return { order: orderOf(call.order, book) };
  if (call.kind === 'replace-link') return { key: call.key === undefined ? undefined : `${'r'.repeat(30)}${call.key}` };
  if (call.kind === 'add-page') {
    const key = call.key === undefined ? undefined : `page-${call.key}`;
    return { key, pageId: call.after === undefined ? '' : at(book.pageIds, call.after)! };
  }
  if (call.kind === 'snapshot' || call.kind === 'restore') {
    const ids = (page?.snapshots ?? []).map(({ id }) => id);
    return { pageId, id: at(ids, call.nth) || at(book.snapshotIds, call.nth) || 'x'.repeat(12) };
  }
  if (call.kind === 'delete-comment') return { id: at(book.remarkIds, call.nth) || 'x'.repeat(12) };
  if (call.kind === 'delete-image') return { id: at(book.imageIds, call.nth) || 'x'.repeat(12) };
  if (call.kind === 'save' || call.kind === 'delete-page') {
    const revision = page?.revision ?? 1;
    const match = { none: undefined, current: `"${revision}"`, stale: `"${revision - 1}"`, star: '*', nonsense: '"x"' };
    return { pageId, ifMatch: match[call.match] };
  }
  return { pageId };
}

function orderOf(order: string, { pages }: Notebook): string[] {
  const ids = pages.map(({ id }) => id);
  if (order === 'reverse') return ids.reverse();
  if (order === 'turn') return [...ids.slice(1), ids[0]!];
  return order === 'short' ? ids.slice(1) : [...ids.slice(1), ids[1] ?? ids[0]!, ids[0]!];
}

const doors = {
  view: (slug: string) => `/n/${slug}`,
  page: (slug: string, page: string) => `/n/${slug}/p/${page}`,
  print: (slug: string) => `/n/${slug}/print`,
  markdown: (slug: string) => `/n/${slug}.md`,
  epub: (slug: string) => `/n/${slug}.epub`,
  embed: (slug: string) => `/n/${slug}/embed`,
  edit: (slug: string) => `/n/${slug}/edit`,
  feed: (slug: string) => `/n/${slug}/feed.atom`,
  slides: (slug: string) => `/n/${slug}?slides`,
};

/** The HTTP request of a call; undefined for what is not one. */
export function requestOf(call: Aimed): Request | undefined {
  const it = write(call);
  if (!it) return undefined;
  const { token, cookies, ifMatch, key, seen } = call.aim;
  const headers: Record<string, string> = { ...it.headers };
  if (typeof it.body === 'string') headers['content-type'] ??= 'application/json';
  if (token !== undefined && call.kind !== 'by-token') headers['x-edit-token'] = token;
  if (cookies.length > 0) headers.cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  if (ifMatch !== undefined) headers['if-match'] = ifMatch;
  if (key !== undefined) headers['idempotency-key'] = key;
  if (seen) headers['if-none-match'] = seen.etag;
  if ('who' in call && call.who === 'crawler')
    Object.assign(headers, { 'sec-purpose': 'prefetch', 'user-agent': 'Slackbot-LinkExpanding 1.0' });
  return { ...it, headers };
}

type Written = Omit<Request, 'headers'> & { headers?: Record<string, string> };

function write(call: Aimed): Written | undefined {
  const { slug, pageId, id, token } = call.aim;
  const api = `/api/notebooks/${slug}`;
  const page = `${api}/pages/${pageId}`;
  const json = (method: Request['method'], url: string, body: object): Written => ({ method, url, body: JSON.stringify(body) });
  switch (call.kind) {
    case 'create':
      return json('POST', '/api/notebooks', {
        ...settingsBody(call.settings, call.aim),
        ...(call.slug !== undefined && { slug }),
        ...(call.texts.length > 0 && { pages: call.texts.map(markdown => ({ markdown })) }),
      });
    case 'quick':
      if (call.as === 'json') return json('POST', '/api/quick', { markdown: call.text });
      return {
        method: 'POST',
        url: '/api/quick',
        body: call.text,
        headers: { 'content-type': 'text/markdown', ...(call.as === 'curl' && { accept: '*/*', 'user-agent': 'curl/8.0' }) },
      };
    case 'check-slug':
      return { method: 'GET', url: `/api/slugs/${slug}` };
    case 'read':
      return { method: 'GET', url: api, headers: call.markdown ? { accept: 'text/markdown' } : {} };
    case 'read-own':
      return { method: 'GET', url: '/api/notebook' };
    case 'read-page':
      return { method: 'GET', url: page };
    case 'settings':
      return json('PATCH', api, settingsBody(call.change, call.aim));
    case 'order':
      return json('PATCH', api, { pageOrder: call.aim.order });
    case 'delete':
      return { method: 'DELETE', url: api };
    case 'replace-link':
      return { method: 'POST', url: `${api}/token` };
    case 'unlock':
      return json('POST', `${api}/unlock`, { password: call.password });
    case 'open':
      return { method: 'POST', url: `${api}/open` };
    case 'add-page':
      return json('POST', `${api}/pages`, { title: call.title, markdown: call.text, ...(pageId && { after: pageId }) });
    case 'save':
      return json('PATCH', page, { title: call.title, markdown: call.text, ...(call.autosave && { autosave: true }) });
    case 'delete-page':
      return { method: 'DELETE', url: page };
    case 'snapshots':
      return { method: 'GET', url: `${page}/snapshots` };
    case 'snapshot':
      return { method: 'GET', url: `${call.byPage ? page : api}/snapshots/${id}` };
    case 'restore':
      return { method: 'POST', url: `${call.byPage ? page : api}/snapshots/${id}/restore` };
    case 'add-image':
      return {
        method: 'POST',
        url: `${api}/images`,
        body: call.good ? picture : Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      };
    case 'images':
      return { method: 'GET', url: `${api}/images` };
    case 'delete-image':
      return { method: 'DELETE', url: `${api}/images/${id}` };
    case 'comments':
      return { method: 'GET', url: `${api}/comments` };
    case 'add-comment':
      return json('POST', `${api}/comments`, { body: call.text, author: call.author, ...(pageId && { pageId }) });
    case 'delete-comment':
      return { method: 'DELETE', url: `${api}/comments/${id}` };
    case 'report':
      return json('POST', `${api}/reports`, { reason: call.reason });
    case 'view':
      return { method: call.head ? 'HEAD' : 'GET', url: doors[call.door](slug, pageId) };
    case 'find':
      return { method: 'GET', url: `/n/${slug}/find?q=${call.word}` };
    case 'search':
      return { method: 'GET', url: `/api/search?q=${call.word}` };
    case 'list':
      return { method: 'GET', url: call.door };
    case 'by-token':
      return { method: 'GET', url: `/e/${token}${call.print ? '/print' : ''}` };
    default:
      return undefined;
  }
}

function settingsBody({ expires: _, ...settings }: Settings, { expiresAt }: Aim): object {
  if (expiresAt === undefined) return settings;
  return { ...settings, expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString() };
}
