import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Pressure } from '../../src/http/pressure.ts';
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

async function sluggish(): Promise<string> {
  const { level } = pressure;
  pressure.level = 'none';
  const { slug } = await app.create({});
  pressure.level = level;
  return slug;
}
