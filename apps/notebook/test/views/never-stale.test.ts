import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentClient } from '../../src/event-loop-turns.ts';
import { createStore } from '../../src/store/open-store.ts';
import { type Database, engines } from '../support/engines.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { createThrough, type ServiceProcess, startService } from '../support/service-process.ts';

const hour = 3_600_000;

interface Change {
  /** Done through the first service, and answered. */
  readonly make: (app: NotebookApp, made: CreatedNotebook) => Promise<unknown>;
  /** What the view is afterwards. */
  readonly status: number;
  readonly tells?: RegExp;
}

const ask = (app: NotebookApp, { slug, editToken }: CreatedNotebook) => ({
  async settings(body: object): Promise<void> {
    const answer = await app.ask('PATCH', `/api/notebooks/${slug}`, { token: editToken, body });
    expect(answer.statusCode).toBe(200);
  },
  async call(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<{ id: string }> {
    const answer = await app.ask(method, `/api/notebooks/${slug}${path}`, { token: editToken, body });
    expect(answer.statusCode).toBeLessThan(300);
    return answer.body === '' ? { id: '' } : answer.json();
  },
});

const changes: Readonly<Record<string, Change>> = {
  'an edit': {
    make: (app, made) => ask(app, made).call('PATCH', `/pages/${made.pages[0]!.id}`, { markdown: 'another text' }),
    status: 200,
    tells: /another text/,
  },
  'an auto-saved edit': {
    make: (app, made) => ask(app, made).call('PATCH', `/pages/${made.pages[0]!.id}`, { markdown: 'ticked', autosave: true }),
    status: 200,
    tells: /ticked/,
  },
  'another title': { make: (app, made) => ask(app, made).settings({ title: 'Renamed' }), status: 200, tells: /Renamed/ },
  'another paper': { make: (app, made) => ask(app, made).settings({ paper: 'kraft' }), status: 200, tells: /paper-kraft/ },
  'open editing': { make: (app, made) => ask(app, made).settings({ openEditing: true }), status: 200, tells: /\/edit"/ },
  'another order of pages': {
    make: (app, made) => ask(app, made).settings({ pageOrder: made.pages.map(({ id }) => id).toReversed() }),
    status: 200,
    tells: /second words/,
  },
  'a new page': {
    make: (app, made) => ask(app, made).call('POST', '/pages', { title: 'Third', markdown: '# Third' }),
    status: 200,
    tells: /Third/,
  },
  'a deleted page': {
    make: (app, made) => ask(app, made).call('DELETE', `/pages/${made.pages[0]!.id}`),
    status: 200,
    tells: /second words/,
  },
  'a file that a page comes from': {
    make: async (app, made) => {
      const [first, second] = made.pages.map(({ id }) => `/pages/${id}`);
      await ask(app, made).call('PATCH', first!, { markdown: '[go](folder/other.md)' });
      expect((await app.ask('GET', `/n/${made.slug}`)).body).toContain('There is no page for this link');
      await ask(app, made).call('PATCH', second!, { file: { path: 'folder/other.md', patch: '' } });
    },
    status: 200,
    tells: /<a href="[^"]+"[^>]*>go<\/a>/,
  },
  'a comment': {
    make: (app, made) => ask(app, made).call('POST', '/comments', { body: 'well said' }),
    status: 200,
    tells: /well said/,
  },
  'an expiry that the settings show': {
    make: (app, made) => ask(app, made).settings({ expiresAt: new Date(app.clock.now + hour).toISOString() }),
    status: 200,
    tells: /readable until/,
  },
  private: { make: (app, made) => ask(app, made).settings({ visibility: 'private' }), status: 404 },
  'a password': { make: (app, made) => ask(app, made).settings({ password: 'key' }), status: 401 },
  'to be burned': {
    make: (app, made) => ask(app, made).settings({ burnAfterRead: true }),
    status: 200,
    tells: /read only once|opens once|Open/,
  },
  burned: {
    make: async (app, made) => {
      await ask(app, made).settings({ burnAfterRead: true });
      expect((await app.ask('POST', `/api/notebooks/${made.slug}/open`)).statusCode).toBeLessThan(400);
    },
    status: 404,
  },
  'a deletion': { make: (app, made) => ask(app, made).call('DELETE', ''), status: 404 },
  'a take-down': { make: (app, made) => app.parts.store.takeDown(made.slug, app.clock.now), status: 410 },
};

describe.each(engines)('two services on one $name', engine => {
  let database: Database;
  const services: { app: NotebookApp; origin: string; recordsFor: (string | undefined)[] }[] = [];

  beforeAll(async () => {
    database = await engine.createDatabase();
    for (let count = 0; count < 2; count++) {
      const store = createStore(database.url);
      const clients: (string | undefined)[] = [];
      const counting: typeof store = {
        ...store,
        findNotebookBySlug(slug) {
          clients.push(currentClient());
          return store.findNotebookBySlug(slug);
        },
      };
      const app = await startNotebookApp({ env: { DATABASE_URL: database.url }, overrides: { store: counting } });
      services.push({ app, origin: await app.listen(), recordsFor: clients });
    }
  });
  afterAll(async () => {
    for (const { app } of services) await app.close();
    database.remove();
  });

  const create = () =>
    services[0]!.app.create({ title: 'Notes', pages: [{ markdown: 'first words' }, { markdown: 'second words' }] });
  const view = (origin: string, { slug }: { slug: string }, headers: Record<string, string> = {}) =>
    fetch(`${origin}/n/${slug}`, { headers });

  /** Until both answer it from memory. */
  async function warm(made: CreatedNotebook): Promise<string> {
    let etag = '';
    for (const { origin } of services) {
      for (let turn = 0; turn < 3; turn++) {
        const answer = await view(origin, made);
        expect(answer.status).toBe(200);
        expect(await answer.text()).toContain('first words');
        etag = answer.headers.get('etag')!;
      }
    }
    return etag;
  }

  it.each(Object.entries(changes))('%s counts in the very next view of both', async (_name, { make, status, tells }) => {
    const made = await create();
    const etag = await warm(made);
    await make(services[0]!.app, made);
    for (const { origin } of services) {
      for (const headers of [{}, { 'if-none-match': etag }]) {
        const answer = await view(origin, made, headers);
        expect(answer.status).toBe(status);
        const text = await answer.text();
        if (tells) expect(text).toMatch(tells);
        else expect(text).not.toContain('first words');
      }
    }
  });

  it('an expiry counts at its very second, by the clock alone', async () => {
    const made = await create();
    const { app } = services[0]!;
    await ask(app, made).settings({ expiresAt: new Date(app.clock.now + hour).toISOString() });
    await warm(made);
    for (const { app, origin } of services) {
      app.clock.now += hour - 1;
      expect((await view(origin, made)).status).toBe(200);
      app.clock.now += 1;
      expect((await view(origin, made)).status).toBe(404);
      app.clock.now -= hour;
    }
  });

  // PostgreSQL is asked for the record each time, in front of the framework too.
  it('what did not change is answered from memory, on SQLite without a query, on PostgreSQL after one in the client’s name', async () => {
    const made = await create();
    await warm(made);
    const client = '127.0.0.1';
    for (const { origin, recordsFor } of services) {
      const readByFiveViews = async () => {
        recordsFor.length = 0;
        for (let turn = 0; turn < 5; turn++) expect((await view(origin, made)).status).toBe(200);
        return [...recordsFor];
      };
      // The pages that were just written are made ready beside it, which reads the record once for each of them.
      await expect.poll(readByFiveViews).toEqual(engine.name === 'SQLite' ? [] : Array.from({ length: 5 }, () => client));
    }
  });
});

describe.each(engines)('two processes on one $name', engine => {
  it('answer no view that is older than an acknowledged save', async () => {
    const database = await engine.createDatabase();
    const both: ServiceProcess[] = [];
    try {
      for (let count = 0; count < 2; count++) both.push(await startService({ DATABASE_URL: database.url, JOBS: 'off' }));
      const { slug, editToken, pageId } = await createThrough(both[0]!.origin);
      const readers = new AbortController();
      let newest = 0;
      let answered = 0;
      /** Reads all the time, so that both hold the page in memory; what it gets is at least as new as when it asked. */
      const read = async (origin: string) => {
        while (!readers.signal.aborted) {
          const asked = newest;
          const text = await (await fetch(`${origin}/n/${slug}`)).text();
          expect(Number(/save (\d+)/.exec(text)?.[1] ?? 0)).toBeGreaterThanOrEqual(asked);
          answered += 1;
        }
      };
      const reading = both.flatMap(({ origin }) => [read(origin), read(origin), read(origin)]);
      const write = async () => {
        for (let save = 1; save <= 60; save++) {
          const { origin } = both[save % 2]!;
          const seen = answered;
          const answer = await fetch(`${origin}/api/notebooks/${slug}/pages/${pageId}`, {
            method: 'PATCH',
            headers: { 'content-type': 'application/json', 'x-edit-token': editToken },
            body: JSON.stringify({ markdown: `save ${save}`, autosave: save % 3 === 0 }),
          });
          expect(answer.status).toBe(200);
          newest = save;
          // Some views between two saves come from memory.
          await expect.poll(() => answered, { interval: 1 }).toBeGreaterThan(seen + 12);
        }
      };
      try {
        await Promise.race([write(), Promise.all(reading)]);
      } finally {
        readers.abort();
      }
      await Promise.all(reading);
      expect(newest).toBe(60);
    } finally {
      for (const service of both) await service.kill();
      database.remove();
    }
  });
});
