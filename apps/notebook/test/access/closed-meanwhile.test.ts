import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type Engine, engines } from '../support/engines.ts';
import { type AskOptions, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

// The owner closes a notebook and, once that was answered, writes what only she is to read. A reader who was let in before must not be
// sent it, whichever way the text goes.

const doors: Readonly<Record<string, (slug: string, pageId: string) => [url: string, options?: AskOptions]>> = {
  'the API': slug => [`/api/notebooks/${slug}`],
  'the API as Markdown': slug => [`/api/notebooks/${slug}`, { headers: { accept: 'text/markdown' } }],
  'the API, a page': (slug, pageId) => [`/api/notebooks/${slug}/pages/${pageId}`],
  'the comments': slug => [`/api/notebooks/${slug}/comments`],
  'the view': slug => [`/n/${slug}`],
  'the view of a page': (slug, pageId) => [`/n/${slug}/p/${pageId}`],
  'the slides': slug => [`/n/${slug}?slides`],
  'the print': slug => [`/n/${slug}/print`],
  'the print of a page': (slug, pageId) => [`/n/${slug}/print?page=${pageId}`],
  'the Markdown': slug => [`/n/${slug}.md`],
  'the frame': slug => [`/n/${slug}/embed`],
  'the feed': slug => [`/n/${slug}/feed.atom`],
  'the search inside': slug => [`/n/${slug}/find?q=secret`],
};

/** Does something once, between a request's access check and the first text that it reads. */
class Between {
  happens: (() => Promise<unknown>) | undefined;

  around(store: Store): Store {
    const isReading = /^(?:listPage|listComments|findPage|findRendering)/;
    return new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function' || !isReading.test(String(name))) return value;
        return async (...args: unknown[]) => {
          const happens = this.happens;
          this.happens = undefined;
          await happens?.();
          return Reflect.apply(value, target, args);
        };
      },
    });
  }
}

describe.each(engines)('a notebook that is closed while it is read, on $name', engine => {
  let app: NotebookApp;
  const between = new Between();
  beforeAll(async () => {
    const kept: { url?: string } = {};
    const noted: Engine = {
      ...engine,
      async createDatabase() {
        const database = await engine.createDatabase();
        kept.url = database.url;
        return database;
      },
    };
    app = await startNotebookApp({
      engine: noted,
      overrides: {
        get store() {
          return between.around(createStore(kept.url!));
        },
      },
    });
  });
  afterAll(() => app.close());

  it.each(Object.entries(doors))('shows nothing that was written since: %s', async (_, door) => {
    const made = await app.create({ visibility: 'public', embedding: true, pages: [{ markdown: 'for everybody' }] });
    const { slug, editToken: token } = made;
    const { id } = made.pages[0]!;
    const ask = async (method: 'PATCH' | 'POST', url: string, body: object) => {
      const answer = await app.ask(method, url, { body, token });
      if (answer.statusCode >= 300) throw new Error(`${method} ${url} answered ${answer.statusCode}`);
    };
    let isClosed = false;
    // Its page is drawn in the background, too: once it is shown, nothing more reads. With other paper it is drawn again.
    await app.ask('GET', `/n/${slug}`);
    await ask('PATCH', `/api/notebooks/${slug}`, { paper: 'kraft' });
    between.happens = async () => {
      await ask('PATCH', `/api/notebooks/${slug}`, { visibility: 'private' });
      await ask('PATCH', `/api/notebooks/${slug}/pages/${id}`, { markdown: 'a secret word' });
      await ask('POST', `/api/notebooks/${slug}/comments`, { body: 'a secret remark' });
      isClosed = true;
    };
    const [url, options] = door(slug, id);
    const answer = await app.ask('GET', url, options);
    expect([isClosed, answer.body.replaceAll('?q=secret', '').match(/secret \w+/)?.[0]]).toEqual([true, undefined]);
  });
});
