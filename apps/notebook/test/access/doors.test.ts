import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/objects/memory.ts';
import { aPicture } from '../images/pictures.ts';
import { indexAll } from '../store/contract/subject.ts';
import { engines } from '../support/engines.ts';
import { type AskOptions, type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

/** What a caller meets: the text, a password form, the "opens once" page, nothing at all, or the operator's notice. */
type Meets = 'text' | 'locked' | 'opens-once' | 'missing' | 'taken-down';

const callers = ['nobody', 'cookie', 'owner'] as const;
type Caller = (typeof callers)[number];

interface State {
  readonly settings: object;
  /** Brings the notebook there; answers the cookie that a legitimate reader holds. */
  readonly reach?: (app: NotebookApp, made: CreatedNotebook) => Promise<string | undefined>;
  readonly meets: Readonly<Record<Caller, Meets>>;
  readonly listed?: true;
}

const cookieOf = (answer: { headers: Record<string, unknown> }) => String(answer.headers['set-cookie']).split(';')[0]!;
const everybody = (meets: Meets, owner: Meets = 'text') => ({ nobody: meets, cookie: meets, owner });

const unlock = async (app: NotebookApp, { slug }: CreatedNotebook) =>
  cookieOf(await app.ask('POST', `/api/notebooks/${slug}/unlock`, { body: { password: 'key' } }));
const open = async (app: NotebookApp, { slug }: CreatedNotebook) =>
  cookieOf(await app.ask('POST', `/api/notebooks/${slug}/open`));
const inAnHour = (app: NotebookApp) => ({ expiresAt: new Date(app.clock.now + 3_600_000).toISOString() });

const states: Readonly<Record<string, State>> = {
  public: { settings: { visibility: 'public' }, meets: everybody('text'), listed: true },
  unlisted: { settings: {}, meets: everybody('text') },
  private: { settings: { visibility: 'private' }, meets: everybody('missing') },
  locked: { settings: { password: 'key' }, reach: unlock, meets: { nobody: 'locked', cookie: 'text', owner: 'text' } },
  'public and locked': {
    settings: { visibility: 'public', password: 'key' },
    reach: unlock,
    meets: { nobody: 'locked', cookie: 'text', owner: 'text' },
  },
  'private and locked': {
    settings: { password: 'key' },
    reach: async (app, made) => {
      const cookie = await unlock(app, made);
      await app.ask('PATCH', `/api/notebooks/${made.slug}`, { body: { visibility: 'private' }, token: made.editToken });
      return cookie;
    },
    meets: everybody('missing'),
  },
  expired: {
    settings: { visibility: 'public' },
    reach: async (app, made) => {
      await app.ask('PATCH', `/api/notebooks/${made.slug}`, { body: inAnHour(app), token: made.editToken });
      app.clock.now += 3_600_000;
      return undefined;
    },
    meets: everybody('missing'),
  },
  'expired and past its grace': {
    settings: { visibility: 'public' },
    reach: async (app, made) => {
      await app.ask('PATCH', `/api/notebooks/${made.slug}`, { body: inAnHour(app), token: made.editToken });
      app.clock.now += 3_600_000 + 3 * 86_400_000;
      return undefined;
    },
    meets: everybody('missing', 'missing'),
  },
  'unopened burn-after-read': { settings: { visibility: 'public', burnAfterRead: true }, meets: everybody('opens-once') },
  burned: {
    settings: { visibility: 'public', burnAfterRead: true },
    reach: open,
    meets: { nobody: 'missing', cookie: 'text', owner: 'text' },
  },
  deleted: {
    settings: { visibility: 'public' },
    reach: async (app, made) => {
      await app.ask('DELETE', `/api/notebooks/${made.slug}`, { token: made.editToken });
      return undefined;
    },
    meets: everybody('missing', 'missing'),
  },
  'taken down': {
    settings: { visibility: 'public' },
    reach: async (app, made) => {
      await app.parts.store.takeDown(made.slug, app.clock.now);
      return undefined;
    },
    meets: everybody('taken-down', 'taken-down'),
  },
};

const picture = await aPicture('png');

interface Door {
  readonly path: (made: CreatedNotebook) => string;
  /** `shared`: a page that is there only for notebooks whose link is all it takes to read them. */
  readonly kind: 'page' | 'api' | 'owner' | 'shared';
  readonly ask?: AskOptions & { method?: 'GET' | 'HEAD' | 'POST' };
  /** The door shows the notebook's text, not only that it is there. */
  readonly tells?: boolean | string;
  /** The door is there for notebooks of the public list only. */
  readonly listed?: true;
}

const doors: Readonly<Record<string, Door>> = {
  view: { path: ({ slug }) => `/n/${slug}`, kind: 'page', tells: true },
  'view of a page': { path: ({ slug, pages }) => `/n/${slug}/p/${pages[1]!.id}`, kind: 'page', tells: true },
  print: { path: ({ slug }) => `/n/${slug}/print`, kind: 'page', tells: true },
  slides: { path: ({ slug }) => `/n/${slug}?slides`, kind: 'page', tells: true },
  'print of a page': { path: ({ slug, pages }) => `/n/${slug}/print?page=${pages[1]!.id}`, kind: 'page', tells: true },
  epub: { path: ({ slug }) => `/n/${slug}.epub`, kind: 'page', tells: 'mimetypeapplication/epub+zip' },
  'find, without a question': { path: ({ slug }) => `/n/${slug}/find`, kind: 'page' },
  find: { path: ({ slug }) => `/n/${slug}/find?q=words`, kind: 'page', tells: '<mark>words</mark>' },
  embed: { path: ({ slug }) => `/n/${slug}/embed`, kind: 'shared', tells: true },
  'card picture': { path: ({ slug }) => `/n/${slug}/card.png`, kind: 'shared', tells: 'PNG' },
  '.md': { path: ({ slug }) => `/n/${slug}.md`, kind: 'page', tells: true },
  feed: { path: ({ slug }) => `/n/${slug}/feed.atom`, kind: 'page', tells: true, listed: true },
  'HEAD of the view': { path: ({ slug }) => `/n/${slug}`, kind: 'page', ask: { method: 'HEAD' } },
  'content editor': { path: ({ slug }) => `/n/${slug}/edit`, kind: 'page' },
  'report page': { path: ({ slug }) => `/n/${slug}/report`, kind: 'page' },
  'API notebook': { path: ({ slug }) => `/api/notebooks/${slug}`, kind: 'api', tells: true },
  'API notebook as markdown': {
    path: ({ slug }) => `/api/notebooks/${slug}`,
    kind: 'api',
    tells: true,
    ask: { headers: { accept: 'text/markdown' } },
  },
  'API page': { path: ({ slug, pages }) => `/api/notebooks/${slug}/pages/${pages[0]!.id}`, kind: 'api', tells: true },
  'API comments': { path: ({ slug }) => `/api/notebooks/${slug}/comments`, kind: 'api' },
  'API comment': {
    path: ({ slug }) => `/api/notebooks/${slug}/comments`,
    kind: 'api',
    ask: { method: 'POST', body: { body: 'hello' } },
  },
  'API report': {
    path: ({ slug }) => `/api/notebooks/${slug}/reports`,
    kind: 'api',
    ask: { method: 'POST', body: { reason: 'other' } },
  },
  'API new page': {
    path: ({ slug }) => `/api/notebooks/${slug}/pages`,
    kind: 'api',
    ask: { method: 'POST', body: { markdown: 'from a visitor' } },
  },
  'API new image': {
    path: ({ slug }) => `/api/notebooks/${slug}/images`,
    kind: 'api',
    ask: { method: 'POST', body: picture, headers: { 'content-type': 'image/png' } },
  },
  'API files': { path: ({ slug }) => `/api/notebooks/${slug}/files`, kind: 'owner' },
  'API images': { path: ({ slug }) => `/api/notebooks/${slug}/images`, kind: 'owner' },
  'API snapshots': { path: ({ slug, pages }) => `/api/notebooks/${slug}/pages/${pages[0]!.id}/snapshots`, kind: 'owner' },
};

const title = 'Unmistakable title';
const words = 'unmistakable words of the text';

const isShared = (state: State) => state === states.public || state === states.unlisted;

function expectedStatus(door: Door, state: State, caller: Caller): number[] {
  const meets = state.meets[caller];
  if (meets === 'missing') return [404];
  if (meets === 'taken-down') return [410];
  if (door.kind === 'owner' && caller !== 'owner') return [401];
  if (meets === 'locked') return [401];
  if (meets === 'opens-once') return [door.kind === 'page' || door.kind === 'shared' ? 200 : 404];
  if (door.kind === 'shared' && !isShared(state)) return [404];
  if (door.listed && !state.listed) return [404];
  return [200, 201, 202];
}

describe.each(engines)('every door obeys the gate on $name', engine => {
  let app: NotebookApp;
  const objects = { ...createMemoryStore({ publicUrl: 'http://localhost/images' }), isServedHere: true as const };
  beforeAll(async () => {
    app = await startNotebookApp({ engine, overrides: { objects } });
  });
  afterAll(() => app.close());

  const cases = Object.entries(states).flatMap(([stateName, state]) =>
    Object.entries(doors).map(([doorName, door]) => ({ stateName, state, doorName, door })),
  );

  const reach = async (state: State) => {
    const made = await app.create({
      title,
      openEditing: true,
      embedding: true,
      pages: [{ markdown: words }, { markdown: words }],
      ...state.settings,
    });
    const cookie = await state.reach?.(app, made);
    return { made, cookie, now: app.clock.now };
  };

  /** A notebook in that state. Doors that only show one have the same one, for as long as the clock stands still: cookies end. */
  const reachOnce = async (state: State) => {
    const kept = await reached.get(state);
    if (kept?.now === app.clock.now) return kept;
    reached.set(state, reach(state));
    return reached.get(state)!;
  };
  const reached = new Map<State, ReturnType<typeof reach>>();

  it.each(cases)('$stateName: $doorName', async ({ state, door }) => {
    const { made, cookie } = await (door.ask?.method === 'POST' ? reach(state) : reachOnce(state));
    for (const caller of callers) {
      const { method = 'GET', ...options } = door.ask ?? {};
      const headers = { ...options.headers, ...(caller === 'cookie' && cookie !== undefined ? { cookie } : {}) };
      const answer = await app.ask(method, door.path(made), {
        ...options,
        headers,
        ...(caller === 'owner' ? { token: made.editToken } : {}),
      });
      const meets = state.meets[caller];
      expect([
        caller,
        expectedStatus(door, state, caller).includes(answer.statusCode) ? 'as expected' : answer.statusCode,
      ]).toEqual([caller, 'as expected']);
      const hidden = meets !== 'text' || (door.kind === 'shared' && !isShared(state)) || (door.listed && !state.listed);
      if (hidden) expect(answer.body).not.toMatch(/unmistakable/i);
      else if (door.tells) expect(answer.body).toContain(door.tells === true ? words : door.tells);
      expect(answer.body).not.toContain(made.editToken);
      const proven = caller === 'owner' || (caller === 'cookie' && cookie !== undefined);
      if (meets !== 'text' || proven) expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  // An `<img>` brings no proof: the address is it, until nobody may see the notebook any more (decision 0035).
  const closed: Readonly<Record<string, number>> = {
    expired: 404,
    'expired and past its grace': 404,
    deleted: 404,
    'taken down': 410,
  };
  it.each(Object.entries(states))('%s: the file of an image', async (stateName, state) => {
    const made = await app.create({ title, pages: [{ markdown: words }], ...state.settings });
    const uploaded = await app.ask('POST', `/api/notebooks/${made.slug}/images`, { token: made.editToken, body: picture });
    const { pathname } = new URL(uploaded.json().url);
    await state.reach?.(app, made);
    const answer = await app.ask('GET', pathname);
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual(
      closed[stateName] ? [closed[stateName], 'no-store'] : [200, 'public, max-age=31536000, immutable'],
    );
    expect(answer.rawPayload.subarray(1, 4).toString() === 'PNG').toBe(!closed[stateName]);
  });

  it.each(Object.entries(states))('%s: lists', async (stateName, state) => {
    // A search shows so many; the notebooks of the doors above have the same words.
    const own = `lists${stateName.replace(/\W/g, '')}`;
    const made = await app.create({ title: `${title} ${own}`, pages: [{ markdown: `${words} ${own}` }], ...state.settings });
    await state.reach?.(app, made);
    await indexAll(app.parts.store);
    const search = await app.ask('GET', `/api/search?q=${own}`);
    const lists = {
      search: search.body,
      'search page': (await app.ask('GET', `/search?q=${own}`)).body,
      sitemap: (await app.ask('GET', '/sitemap.xml')).body,
      'llms.txt': (await app.ask('GET', '/llms.txt')).body,
      'llms-full.txt': (await app.ask('GET', '/llms-full.txt')).body,
      'feed.atom': (await app.ask('GET', '/feed.atom')).body,
      home: (await app.ask('GET', '/')).body,
    };
    for (const [name, body] of Object.entries(lists)) {
      const listed = state.listed === true && name !== 'home';
      expect([name, body.includes(made.slug)]).toEqual([name, listed]);
    }
  });
});
