/**
 * The service worker. It always asks the network first and shows kept pages only when the network gives no answer at all.
 * The server says which views may be kept (`octavo-keep`); any other answer for a notebook removes everything kept of it.
 * It imports nothing: http/files/offline-worker.ts sends it as one classic script, preceded by the list of built files.
 * The reasons are in docs/decisions/0031-keeping-and-offline.md.
 */
interface Shell {
  /** Pages that are the same for everybody. */
  readonly pages: readonly string[];
  /** Built files that these and every view need. */
  readonly files: readonly string[];
  /** Every built file of this release, for showing pages that an older release rendered. */
  readonly known: readonly string[];
  /** The owner's editor: a page that is the same for every slug, and the files it needs. */
  readonly editor: { readonly page: string; readonly slug: string; readonly files: readonly string[] };
  /** Changes with each release. */
  readonly version: string;
  readonly mostKept: number;
}
declare const octavoShell: Shell;

interface Waiting extends Event {
  readonly data?: unknown;
  readonly source?: { readonly url?: string } | null;
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Waiting {
  readonly request: Request;
  readonly preloadResponse?: Promise<Response | undefined>;
  respondWith(answer: Promise<Response>): void;
}
interface Worker {
  readonly registration: { readonly navigationPreload?: { enable(): Promise<void>; disable(): Promise<void> } };
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: object): Promise<readonly { readonly url: string }[]>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate' | 'message', listener: (event: Waiting) => void): void;
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void;
}
const worker = self as unknown as Worker;

const keptName = 'octavo-kept';
const shellPrefix = 'octavo-shell-';
const shellName = shellPrefix + octavoShell.version;
/** The header's value is `always`, or the end of keeping in milliseconds since 1970 UTC. */
const keepHeader = 'octavo-keep';
const readAtHeader = 'octavo-read-at';
const offlinePage = '/offline';
/** Some browsers never answer where storage is blocked (as in session/draft-database.ts). */
const databaseMilliseconds = 4_000;

/** Counts how often a notebook was forgotten. A view requested before its notebook was forgotten is not kept afterwards. */
let forgetCount = 0;
const forgotten = new Map<string, number>();
/**
 * How many changes of a notebook's settings from here the server has not answered. A view that comes before the answer is not kept: it may
 * show what nobody may read once the change is carried out.
 */
const changing = new Map<string, number>();

worker.addEventListener('install', event => event.waitUntil(fillShell().then(() => worker.skipWaiting())));
worker.addEventListener('activate', event => event.waitUntil(takeOver()));
// Pages report that the network is back or that their text is now rendered; the editor reports that it shows its owner's notebook.
worker.addEventListener('message', event => event.waitUntil(handleMessage(event.data, event.source?.url)));

worker.addEventListener('fetch', event => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== location.origin) return;
  const changed = request.method !== 'GET' && /^\/api\/notebooks\/([a-z0-9-]+)$/.exec(pathname)?.[1];
  if (changed) return answerChange(event, changed);
  if (request.method !== 'GET') return;
  if (pathname.startsWith('/assets/')) return event.respondWith(answerFile(event));
  if (request.mode !== 'navigate') return;
  // An edit link is a credential, so its page is never kept. Without a network the kept editor page is shown instead.
  if (/^\/e\/[\w-]{43}$/.test(pathname)) return event.respondWith(answerEditLink(event));
  if (!/^\/(?:e|api)\//.test(pathname)) event.respondWith(answerPage(event));
});

function handleMessage(message: unknown, address: string | undefined): Promise<void> {
  if (message === 'keep-editor') return keepEditor();
  return message === 'rendered' && address !== undefined ? refetchView(new URL(address)) : recheckKept();
}

/** Installs even if the store is broken: the worker that this one replaces may not be able to work without a store. */
async function fillShell(): Promise<void> {
  const hasStore = await caches.open(shellName).then(
    () => true,
    () => false,
  );
  if (!hasStore) return;
  const hadEditor = (await caches.match(octavoShell.editor.page)) !== undefined;
  await fill([...octavoShell.pages, ...octavoShell.files]);
  if (hadEditor) await keepEditor();
}

async function fill(paths: readonly string[]): Promise<void> {
  const shell = await caches.open(shellName);
  await Promise.all(
    paths.map(async path => {
      const answer = await fetch(path, { cache: 'no-cache', credentials: 'omit' });
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
      await shell.put(path, answer);
    }),
  );
}

/** Keeps the page last, so that a kept page always has its files. */
async function keepEditor(): Promise<void> {
  const { page, files } = octavoShell.editor;
  const shell = await caches.open(shellName);
  if (await shell.match(page)) return;
  const missing: string[] = [];
  for (const file of files) if (!(await shell.match(file))) missing.push(file);
  await fill(missing);
  await fill([page]);
}

/** Keeps the previous shell: open windows were rendered from it and may still load a lazy part. */
async function takeOver(): Promise<void> {
  const names = await caches.keys().catch(() => []);
  const shells = names.filter(name => name.startsWith(shellPrefix) && name !== shellName);
  await Promise.all(shells.slice(0, -1).map(name => caches.delete(name)));
  const { navigationPreload } = worker.registration;
  // Firefox fails the whole navigation when its preload fails, whatever the worker answers. Only Chromium browsers have `userAgentData`.
  await ('userAgentData' in navigator ? navigationPreload?.enable() : navigationPreload?.disable());
  await worker.clients.claim();
  await recheckKept();
  // Keeps the views that were opened before this worker was in control.
  for (const { url } of await worker.clients.matchAll({ type: 'window' })) await refetchView(new URL(url));
}

/** Fetches a view again: what an open window shows may be more than what was kept when it was opened. */
async function refetchView(url: URL): Promise<void> {
  const slug = slugOf(url.pathname);
  const forgetCountBefore = forgetCount;
  const answer = slug === undefined ? undefined : await fetch(url).catch(() => undefined);
  if (slug !== undefined && answer) await keepOrForget({ slug, url, forgetCountBefore, isAnyAge: false }, answer);
}

/** A built file's name changes with its content, so a kept one is never stale. If the store is broken the network is asked. */
async function answerFile(event: Fetching): Promise<Response> {
  const { request } = event;
  const found = await caches.match(request.url, { ignoreVary: true }).catch(() => undefined);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok && answer.type === 'basic') event.waitUntil(keepFile(request.url, answer.clone()).catch(() => {}));
  return answer;
}

async function keepFile(url: string, answer: Response): Promise<void> {
  await (await caches.open(shellName)).put(url, answer);
}

/**
 * The settings are changed or the notebook is deleted from here. It goes through the worker, which sees when that is over. It is carried
 * out although its window is gone meanwhile (`signal`). The next view after that is kept again if it may be.
 */
function answerChange(event: Fetching, slug: string): void {
  const answer = fetch(new Request(event.request, { signal: null }));
  event.respondWith(answer);
  changing.set(slug, (changing.get(slug) ?? 0) + 1);
  const end = (): Promise<void> => {
    changing.set(slug, changing.get(slug)! - 1);
    return forgetViews(slug);
  };
  // The editor's copy stays after that: the answer tells the editor whether it may keep one.
  event.waitUntil(Promise.all([forget(slug), answer.then(end, end)]));
}

async function answerPage(event: Fetching): Promise<Response> {
  const url = new URL(event.request.url);
  const forgetCountBefore = forgetCount;
  const answer = await askNetwork(event);
  if (!answer) return offlineAnswer(url);
  const slug = slugOf(url.pathname);
  if (slug !== undefined) {
    const copy = answer.clone();
    event.waitUntil(keepOrForget({ slug, url, forgetCountBefore, isAnyAge: event.request.cache === 'force-cache' }, copy));
  }
  return answer;
}

/** The editor's script reads the token from the address and finds the notebook in this browser's list. */
async function answerEditLink(event: Fetching): Promise<Response> {
  const answer = await askNetwork(event);
  if (answer) return answer;
  const editor = await caches.match(octavoShell.editor.page, { cacheName: shellName });
  if (!editor) return Response.error();
  const html = (await editor.text())
    .replace(`data-slug="${octavoShell.editor.slug}"`, '')
    .replace('data-mode="stored"', 'data-mode="token"');
  return withCurrentFiles(editor, html, 200);
}

/** Undefined when there is no network. Any answer, whatever it is, takes precedence over what is kept. */
async function askNetwork(event: Fetching): Promise<Response | undefined> {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return undefined;
  }
}

/** The slug in the address of a view or of one of its pages. */
function slugOf(path: string): string | undefined {
  return /^\/n\/([a-z0-9-]+)(?:\/p\/[^/]+)?$/.exec(path)?.[1];
}

const keepValueOf = (answer: Response) => (answer.status === 200 ? answer.headers.get(keepHeader) : null);
/** A busy or broken server says nothing about the notebook. */
const isInconclusive = ({ status, type }: Response) => status >= 500 || status === 429 || type !== 'basic';

interface View {
  readonly slug: string;
  readonly url: URL;
  /** `forgetCount` at the time of the request. */
  readonly forgetCountBefore: number;
  /** True when the answer may come stale from the browser's cache, as after "Back". */
  readonly isAnyAge: boolean;
}

async function keepOrForget({ slug, url, forgetCountBefore, isAnyAge }: View, answer: Response): Promise<void> {
  if (isInconclusive(answer)) return;
  if (keepValueOf(answer) === null) return forget(slug);
  if (url.search !== '' || isAnyAge) return;
  const headers = new Headers(answer.headers);
  headers.set(readAtHeader, String(Date.now()));
  // The connection may break in the middle; then what was kept before stays.
  const text = await answer.text();
  const isForgotten = () => (forgotten.get(slug) ?? 0) > forgetCountBefore || (changing.get(slug) ?? 0) > 0;
  if (isForgotten()) return;
  const kept = await caches.open(keptName);
  // Deleted first, so that the keys are in the order of reading.
  await kept.delete(url.pathname);
  await kept.put(url.pathname, new Response(text, { headers }));
  if (isForgotten()) await kept.delete(url.pathname);
  const keys = await kept.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - octavoShell.mostKept)).map(key => kept.delete(key)));
}

/** Removes the editor's offline copies too (browser/session/offline-copy.ts): what may not be shown may not be edited. Drafts stay. */
async function forgetCopies(isGone: (slug: string) => boolean): Promise<void> {
  for (const slug of await listCopies()) if (isGone(slug)) await inDrafts(store => store.delete([slug, '', '', 'notebook']));
}

async function listCopies(): Promise<string[]> {
  const keys = (await inDrafts(store => store.getAllKeys())) ?? [];
  return keys.flatMap(key => (Array.isArray(key) && key[3] === 'notebook' ? [String(key[0])] : []));
}

/** Undefined when the browser has no database for us or does not open it. */
function inDrafts<Value>(ask: (store: IDBObjectStore) => IDBRequest<Value>): Promise<Value | undefined> {
  return new Promise(resolve => {
    setTimeout(() => resolve(undefined), databaseMilliseconds);
    const opening = indexedDB.open('octavo', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('drafts');
    opening.onerror = () => resolve(undefined);
    opening.onsuccess = () => {
      const database = opening.result;
      const transaction = database.transaction('drafts', 'readwrite');
      const request = ask(transaction.objectStore('drafts'));
      const end = (value: Value | undefined): void => {
        database.close();
        resolve(value);
      };
      transaction.oncomplete = () => end(request.result);
      transaction.onabort = () => end(undefined);
    };
  });
}

/** Empties each store by itself, so that a failure in one does not stop the other. */
async function forget(slug: string): Promise<void> {
  await Promise.all([forgetViews(slug), forgetCopies(key => key === slug)]);
}

async function forgetViews(slug: string): Promise<void> {
  forgetCount += 1;
  forgotten.set(slug, forgetCount);
  const kept = await caches.open(keptName);
  for (const key of await kept.keys()) if (slugOf(new URL(key.url).pathname) === slug) await kept.delete(key);
}

/** Asks the server whether each kept notebook may still be kept: it may have been deleted, locked or taken down elsewhere. */
async function recheckKept(): Promise<void> {
  const kept = await caches.open(keptName);
  const checked = new Set<string>();
  for (const key of await kept.keys()) {
    const slug = slugOf(new URL(key.url).pathname)!;
    const then = (await kept.match(key))?.headers.get(keepHeader) ?? '';
    if (isExpired(then)) await forget(slug);
    else if (!checked.has(slug)) {
      checked.add(slug);
      const now = await fetchHead(slug);
      if (now && !isInconclusive(now) && keepValueOf(now) !== then) await forget(slug);
    }
  }
  for (const slug of await listCopies()) {
    const now = checked.has(slug) ? undefined : await fetchHead(slug);
    if (now && !isInconclusive(now) && keepValueOf(now) === null) await forget(slug);
  }
}

const fetchHead = (slug: string) => fetch(`/n/${slug}`, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);

const isExpired = (keep: string) => keep !== 'always' && !(Number(keep) > Date.now());

/** As views/offline.tsx says it. */
const offlineWords = 'You’re offline';
/** A server may be down while there is a network. */
const why = () => (navigator.onLine ? 'The server can’t be reached' : offlineWords);

async function offlineAnswer(url: URL): Promise<Response> {
  const { pathname } = url;
  const edited = /^\/edit\/([a-z0-9-]+)$/.exec(pathname)?.[1];
  const editor = edited === undefined ? undefined : await caches.match(octavoShell.editor.page, { cacheName: shellName });
  // The editor's script finds out whether this browser owns the notebook.
  if (editor)
    return withCurrentFiles(
      editor,
      (await editor.text()).replace(`data-slug="${octavoShell.editor.slug}"`, `data-slug="${edited}"`),
      200,
    );
  const slug = slugOf(pathname);
  const kept = slug === undefined ? undefined : await findKept(slug, pathname);
  if (kept) return renderKept(kept);
  const page = await caches.match(octavoShell.pages.includes(pathname) ? pathname : offlinePage, { cacheName: shellName });
  if (!page) return Response.error();
  if (octavoShell.pages.includes(pathname) && pathname !== offlinePage) return withCurrentFiles(page, await page.text(), 200);
  const list = await listKept();
  const html = (await page.text()).replaceAll(offlineWords, why()).replace(/<ul data-kept(?:="true")?>/, start => start + list);
  return withCurrentFiles(page, list === '' ? html : html.replace(' data-nothing-kept', ' hidden'), 503);
}

async function findKept(slug: string, path: string): Promise<Response | undefined> {
  const found = await caches.match(path, { cacheName: keptName });
  if (found && isExpired(found.headers.get(keepHeader) ?? '')) {
    await forget(slug);
    return undefined;
  }
  return found;
}

async function renderKept(kept: Response): Promise<Response> {
  const readAt = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' }).format(
    Number(kept.headers.get(readAtHeader)),
  );
  const note = `<p class="offline-note" role="status">${why()}. This is the page as you last read it, on ${readAt}.</p>`;
  const html = (await kept.text()).replace('<html ', '<html data-offline ').replace('<body>', `<body>${note}`);
  return withCurrentFiles(kept, html, 200);
}

/** Points the page to this release's built files: one kept by an older release names files that are gone. */
function withCurrentFiles({ headers }: Response, html: string, status: number): Response {
  const told = new Headers(headers);
  for (const name of ['content-encoding', 'content-length', 'etag']) told.delete(name);
  return new Response(html.replace(/\/assets\/[\w.-]+/g, newestOf), { status, headers: told });
}

function newestOf(path: string): string {
  if (octavoShell.known.includes(path)) return path;
  const [, name, ending] = /^(.*)-[\w-]{8}(\.\w+)$/.exec(path) ?? [];
  const isNewer = (file: string) => file.startsWith(`${name}-`) && file.endsWith(ending!) && file.length === path.length;
  return (name !== undefined && octavoShell.known.find(isNewer)) || path;
}

/** Takes titles from pages that we rendered, where they are already escaped. */
async function listKept(): Promise<string> {
  const kept = await caches.open(keptName);
  const items: string[] = [];
  for (const key of [...(await kept.keys())].reverse()) {
    const { pathname } = new URL(key.url);
    const page = await findKept(slugOf(pathname)!, pathname);
    const title = page && /<title>([^<]*?)(?: · Octavo)?<\/title>/.exec(await page.text())?.[1];
    if (title !== undefined) items.push(`<li><a href="${pathname}" dir="auto">${title}</a></li>`);
  }
  return items.join('');
}
