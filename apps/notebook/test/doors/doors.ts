export interface Question {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Sent as it is, with its type. */
  readonly raw?: { readonly type: string; readonly text: string };
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export type Ask = (question: Question) => Promise<Answer>;

/** A notebook whose every page holds a hostile text. */
export interface Subject {
  readonly slug: string;
  /** Another notebook, of a few words: for a hostile header, and what costs nothing else. */
  readonly small: string;
  readonly token: string;
  readonly pages: readonly string[];
  readonly texts: readonly string[];
}

export async function create(ask: Ask, texts: readonly string[], settings: object = {}): Promise<Subject | undefined> {
  const pages = texts.map(markdown => ({ markdown }));
  const answer = await ask({ method: 'POST', path: '/api/notebooks', body: { ...settings, pages } });
  // Some texts are refused, as they should be.
  if (answer.status !== 201) return undefined;
  const { notebook, editToken } = JSON.parse(answer.body);
  const small = await ask({ method: 'POST', path: '/api/notebooks', body: { pages: [{ markdown: '# Small' }] } });
  return {
    slug: notebook.slug,
    small: JSON.parse(small.body).notebook.slug,
    token: editToken,
    pages: notebook.pages.map(({ id }: { id: string }) => id),
    texts,
  };
}

type Visit = (ask: Ask, subject: Subject) => Promise<unknown>;

const get =
  (end: string): Visit =>
  (ask, { slug }) =>
    ask({ path: `/n/${slug}${end}` });
const forPages =
  (visit: (ask: Ask, subject: Subject, page: string, text: string) => Promise<unknown>): Visit =>
  async (ask, subject) => {
    for (const [index, page] of subject.pages.entries()) await visit(ask, subject, page, subject.texts[index]!);
  };
const savePage = (subject: Subject, page: string, body: object): Question => ({
  method: 'PATCH',
  path: `/api/notebooks/${subject.slug}/pages/${page}`,
  token: subject.token,
  body,
});
const setVisibility = (visibility: string): Visit => {
  return (ask, { slug, token }) =>
    ask({ method: 'PATCH', path: `/api/notebooks/${slug}`, token, body: { visibility, title: `Now ${visibility}` } });
};
const post =
  (path: (subject: Subject) => string, body: (text: string) => unknown): Visit =>
  async (ask, subject) => {
    for (const text of subject.texts) await ask({ method: 'POST', path: path(subject), token: subject.token, body: body(text) });
  };
/** What fits into an address or a header; the longest that the parser of HTTP lets through. */
const short = (text: string) => text.slice(0, 7_000);
const latin = (text: string) => short(text).replace(/[^\x20-\x7e]/g, '~');
const withHeader =
  (name: string, path: (subject: Subject) => string, value: (text: string) => string = latin): Visit =>
  async (ask, subject) => {
    for (const text of subject.texts) await ask({ path: path(subject), headers: { [name]: value(text) } });
  };
const inAddress =
  (before: string): Visit =>
  async (ask, { texts }) => {
    for (const text of texts) await ask({ path: before + encodeURIComponent(short(text).slice(0, 1_000).toWellFormed()) });
  };

/** Every way of a stranger's text to the service's thread over HTTP, in an order in which each finds what it needs. */
export const doors: Readonly<Record<string, Visit>> = {
  'create with the same texts': (ask, { texts }) => create(ask, texts),
  'create, the text as a title': post(
    () => '/api/notebooks',
    title => ({ title }),
  ),
  'create, the text as a name': post(
    () => '/api/notebooks',
    text => ({ [text]: 1 }),
  ),
  'create, the text as a slug': post(
    () => '/api/notebooks',
    slug => ({ slug }),
  ),
  'create, the text as a password': post(
    () => '/api/notebooks',
    password => ({ password }),
  ),
  'create, the text as the body': async (ask, { texts }) => {
    for (const text of texts) await ask({ method: 'POST', path: '/api/notebooks', raw: { type: 'application/json', text } });
  },
  quick: async (ask, { texts }) => {
    for (const text of texts) await ask({ method: 'POST', path: '/api/quick', raw: { type: 'text/markdown', text } });
  },
  'quick, as pasted': async (ask, { texts }) => {
    for (const text of texts) await ask({ method: 'POST', path: '/api/quick', raw: { type: 'text/plain', text } });
  },
  'quick, as code': async (ask, { texts }) => {
    for (const text of texts) await ask({ method: 'POST', path: '/api/quick?as=code', raw: { type: 'text/plain', text } });
  },
  'new page': post(
    ({ slug }) => `/api/notebooks/${slug}/pages`,
    markdown => ({ markdown }),
  ),
  view: get(''),
  'view of each page': forPages((ask, { slug }, page) => ask({ path: `/n/${slug}/p/${page}` })),
  print: get('/print'),
  'print again': get('/print'),
  'print of each page': forPages((ask, { slug }, page) => ask({ path: `/n/${slug}/print?page=${page}` })),
  slides: get('?slides'),
  '.md': get('.md'),
  epub: get('.epub'),
  'card picture': get('/card.png'),
  'find a letter': get('/find?q=x'),
  'find a word': get('/find?q=zebra'),
  'API notebook': (ask, { slug }) => ask({ path: `/api/notebooks/${slug}` }),
  'API notebook as markdown': (ask, { slug }) => ask({ path: `/api/notebooks/${slug}`, headers: { accept: 'text/markdown' } }),
  'API own notebook': (ask, { token }) => ask({ path: '/api/notebook', token }),
  'API page': forPages((ask, { slug }, page) => ask({ path: `/api/notebooks/${slug}/pages/${page}` })),
  save: forPages((ask, subject, page, text) => ask(savePage(subject, page, { markdown: `${text}.` }))),
  'save, stale': forPages((ask, subject, page, text) =>
    ask({ ...savePage(subject, page, { markdown: text }), headers: { 'if-match': '"1"' } }),
  ),
  autosave: forPages((ask, subject, page, text) => ask(savePage(subject, page, { markdown: text, autosave: true }))),
  'save, the text as a title': forPages((ask, subject, page, title) => ask(savePage(subject, page, { title }))),
  'snapshots, read and brought back': forPages(async (ask, { slug, token }, page) => {
    const path = `/api/notebooks/${slug}/pages/${page}/snapshots`;
    const list = await ask({ path, token });
    const [newest] = list.status === 200 ? ([Object.values(JSON.parse(list.body))].flat(2) as { id: string }[]) : [];
    if (!newest) return;
    const snapshot = `/api/notebooks/${slug}/snapshots/${newest.id}`;
    await ask({ path: snapshot, token });
    await ask({ method: 'POST', path: `${snapshot}/restore`, token });
  }),
  'make public': setVisibility('public'),
  'search, and the index of it': ask => ask({ path: '/api/search?q=zebra' }),
  'search page': ask => ask({ path: '/search?q=xx' }),
  'llms.txt': ask => ask({ path: '/llms.txt' }),
  'llms-full.txt': ask => ask({ path: '/llms-full.txt' }),
  sitemap: ask => ask({ path: '/sitemap.xml' }),
  feed: get('/feed.atom'),
  'feed of public notebooks': ask => ask({ path: '/feed.atom' }),
  'let other sites show it': (ask, { slug, token }) =>
    ask({ method: 'PATCH', path: `/api/notebooks/${slug}`, token, body: { embedding: true } }),
  'frame on other sites': get('/embed'),
  'make unlisted': setVisibility('unlisted'),
  'upload, the text as the image': async (ask, { slug, token, texts }) => {
    const path = `/api/notebooks/${slug}/images`;
    for (const text of texts) await ask({ method: 'POST', path, token, raw: { type: 'image/png', text } });
  },
  images: (ask, { slug, token }) => ask({ path: `/api/notebooks/${slug}/images`, token }),
  'comment of 2,000 characters': post(
    ({ slug }) => `/api/notebooks/${slug}/comments`,
    text => ({ body: text.slice(0, 2_000).toWellFormed(), author: text.slice(0, 80).toWellFormed() }),
  ),
  'comment, the whole text': post(
    ({ slug }) => `/api/notebooks/${slug}/comments`,
    body => ({ body }),
  ),
  comments: (ask, { slug }) => ask({ path: `/api/notebooks/${slug}/comments` }),
  'view with comments': get(''),
  report: post(
    ({ slug }) => `/api/notebooks/${slug}/reports`,
    detail => ({ reason: 'other', detail }),
  ),
  unlock: post(
    ({ slug }) => `/api/notebooks/${slug}/unlock`,
    password => ({ password }),
  ),
  'slug in the address': inAddress('/api/slugs/'),
  'view in the address': inAddress('/n/'),
  'edit link in the address': inAddress('/e/'),
  'find in the address': async (ask, { slug, texts }) => {
    for (const text of texts) await ask({ path: `/n/${slug}/find?q=${encodeURIComponent(text.slice(0, 200).toWellFormed())}` });
  },
  'search in the address': inAddress('/api/search?q='),
  'oEmbed in the address': inAddress('/oembed?url='),
  'image in the address': inAddress('/images/'),
  'header If-None-Match': withHeader('if-none-match', ({ small }) => `/n/${small}`),
  'header Accept-Encoding': withHeader('accept-encoding', ({ small }) => `/n/${small}`),
  'header Accept': withHeader('accept', ({ small }) => `/api/notebooks/${small}`),
  'header Cookie': withHeader('cookie', ({ small }) => `/n/${small}`),
  'header X-Edit-Token': withHeader('x-edit-token', ({ small }) => `/api/notebooks/${small}`),
  'header X-Forwarded-For': withHeader('x-forwarded-for', ({ small }) => `/n/${small}`),
  'header Content-Type': withHeader('content-type', () => '/api/notebooks'),
  delete: (ask, { slug, token }) => ask({ method: 'DELETE', path: `/api/notebooks/${slug}`, token }),
};
