import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Pressure } from '../../src/http/load/pressure.ts';
import type { Renderer } from '../../src/markdown/rendered.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

const pressure = new Pressure();
let app: NotebookApp;
let kept: string;
let never: string;

beforeAll(async () => {
  app = await startNotebookApp({ overrides: { pressure } });
  kept = `/n/${(await app.create({ pages: [{ markdown: '**kept**' }] })).slug}`;
  never = `/n/${(await app.create({ pages: [{ markdown: '**never looked at**' }] })).slug}`;
  await app.ask('GET', kept);
});
beforeEach(() => {
  pressure.level = 'none';
});
afterAll(() => app.close());

describe('under pressure', () => {
  it.each([
    ['POST', '/api/notebooks'],
    ['GET', '/api/search?q=word'],
    ['GET', '/search?q=word'],
    ['GET', '/llms-full.txt'],
  ] as const)('what costs much goes first: %s %s', async (method, url) => {
    pressure.level = 'high';
    const refused = await app.ask(method, url, method === 'POST' ? { body: {} } : {});
    expect(refused.statusCode).toBe(503);
    expect(refused.headers['retry-after']).toBe('2');
    pressure.level = 'none';
    expect((await app.ask(method, url, method === 'POST' ? { body: {} } : {})).statusCode).toBeLessThan(300);
  });

  it('says so in the words of the API, and on a page to people', async () => {
    pressure.level = 'high';
    expect((await app.ask('POST', '/api/notebooks', { body: {} })).json()).toMatchObject({ code: 'unavailable', status: 503 });
    expect((await app.ask('GET', '/search?q=word')).headers['content-type']).toContain('text/html');
  });

  it('pages that must be made go when it is severe, those in memory never', async () => {
    pressure.level = 'high';
    expect((await app.ask('GET', never)).statusCode).toBe(200);
    const another = `/n/${await sluggish()}`;
    pressure.level = 'severe';
    expect((await app.ask('GET', another)).statusCode).toBe(503);
    expect((await app.ask('GET', '/new')).statusCode).toBe(503);
    const view = await app.ask('GET', kept);
    expect(view.statusCode).toBe(200);
    expect(view.body).toContain('<strong>kept</strong>');
  });

  it('supervisors are always answered', async () => {
    pressure.level = 'severe';
    expect((await app.ask('GET', '/healthz')).statusCode).toBe(200);
    expect((await app.ask('GET', '/readyz')).statusCode).toBe(200);
  });
});

describe('many who wait for one slow page', () => {
  /** How many requests were answered in each turn of the event loop that answered any. */
  const answered = new Map<number, number>();
  /** How often it was asked in each turn whether the notebook is still open. */
  const checked = new Map<number, number>();
  let turn = 0;
  class Watched extends Pressure {
    override end(client: string): void {
      super.end(client);
      answered.set(turn, (answered.get(turn) ?? 0) + 1);
    }
  }
  const busy = new Watched();
  let slow: NotebookApp;
  let view: string;
  let end: () => void;

  beforeAll(async () => {
    const { promise: never, resolve } = Promise.withResolvers<void>();
    end = resolve;
    const render: Renderer['render'] = async (_markdown, _options, turn) => {
      // A reader waits up to ten seconds for a text that a thread works on.
      if (turn) turn.running = true;
      await never;
      return { html: `<p>${'words '.repeat(20_000)}</p>`, headings: [] };
    };
    slow = await startNotebookApp({
      overrides: { pressure: busy, renderer: { render, engine: 'never', close: async () => {} } },
    });
    view = `/n/${(await slow.create({})).slug}`;
    busy.start();
  });
  afterAll(async () => {
    end();
    await slow.close();
  });

  it('are an overload for themselves alone, and are answered over many turns', async () => {
    const ask = (method: 'GET' | 'POST', url: string, remoteAddress: string) =>
      slow.server.inject({ method, url, remoteAddress, ...(method === 'POST' && { payload: {} }) });
    const waiting: ReturnType<typeof ask>[] = [];
    while (waiting.length < 1_100) {
      for (let count = 0; count < 110; count++) waiting.push(ask('GET', view, `203.0.113.${count % 3}`));
      await expect.poll(() => busy.requests).toBe(waiting.length);
    }
    // Longer than it takes to look twice.
    await new Promise(resolve => setTimeout(resolve, 1_100));
    const made = await Promise.all([0, 2, 9].map(end => ask('POST', '/api/notebooks', `203.0.113.${end}`)));
    expect(made.map(({ statusCode }) => statusCode)).toEqual([503, 503, 201]);
    answered.clear();
    const { store } = slow.parts;
    const find = store.findNotebookBySlug.bind(store);
    store.findNotebookBySlug = slug => {
      checked.set(turn, (checked.get(turn) ?? 0) + 1);
      return find(slug);
    };
    const counter = setInterval(() => (turn += 1), 1);
    end();
    const statuses = (await Promise.all(waiting)).map(({ statusCode }) => statusCode);
    clearInterval(counter);
    expect(new Set(statuses)).toEqual(new Set([200]));
    // A turn has 8 ms of them: on a quick machine some 300, and without turns it has them all.
    const most = waiting.length / 2;
    expect(Math.max(...answered.values())).toBeLessThan(most);
    expect([...checked.values()].reduce((all, some) => all + some)).toBeGreaterThanOrEqual(waiting.length);
    expect(Math.max(...checked.values())).toBeLessThan(most);
  });
});

async function sluggish(): Promise<string> {
  const { level } = pressure;
  pressure.level = 'none';
  const { slug } = await app.create({});
  pressure.level = level;
  return slug;
}
