import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '../../src/limits.ts';
import { sqlite } from '../support/engines.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
let made: CreatedNotebook;
beforeAll(async () => {
  app = await startNotebookApp({ engine: sqlite });
  made = await app.create({
    title: 'Field <notes>',
    pages: [
      { markdown: '# Paper\n\nThe **Café** by the mill.' },
      { markdown: '# Ink\n\nNo coffee here.' },
      { markdown: '# 紙\n\n製紙工場の café です。' },
    ],
  });
});
afterAll(() => app.close());

const find = async (query: string) => app.ask('GET', `/n/${made.slug}/find${query}`);
const hrefsIn = (body: string) =>
  [...body.matchAll(/<h3[^>]*><a href="([^"#]*)([^"]*)"/g)].map(([, path, place]) => ({ path, place }));

it('asks, and looks at nothing until it is asked', async () => {
  const { statusCode, body, headers } = await find('');
  expect(statusCode).toBe(200);
  expect(body).toContain('Find in Field &lt;notes');
  expect(body).not.toContain('Café');
  expect(headers['x-robots-tag']).toBe('noindex, nofollow');
});

it('names the pages in their order, marks the words, and leads to their place, accents and case aside', async () => {
  const { body } = await find('?q=cafe');
  expect(hrefsIn(body)).toEqual([
    { path: `/n/${made.slug}`, place: '#:~:text=Caf%C3%A9' },
    { path: `/n/${made.slug}/p/${made.pages[2]!.id}`, place: '#:~:text=caf%C3%A9' },
  ]);
  expect(body).toContain('<mark>Café</mark> by the mill');
});

it('wants every word, in titles too, in any script', async () => {
  expect(hrefsIn((await find('?q=paper+mill')).body).length).toBe(1);
  expect(hrefsIn((await find('?q=paper+coffee')).body).length).toBe(0);
  expect(hrefsIn((await find(`?q=${encodeURIComponent('工場')}`)).body).length).toBe(1);
});

it('says when there is nothing, without letting the question in as HTML', async () => {
  const { statusCode, body } = await find(`?q=${encodeURIComponent('<img src=x onerror=alert(1)>')}`);
  expect(statusCode).toBe(200);
  expect(body).toContain('No page of this notebook holds');
  expect(body).not.toContain('<img');
});

it('refuses a question that is too long', async () => {
  const { statusCode, body } = await find(`?q=${'a'.repeat(limits.maxSearchQueryChars + 1)}`);
  expect(statusCode).toBe(422);
  expect(body).toContain('role="alert"');
});

it('is linked from a notebook of several pages', async () => {
  expect((await app.ask('GET', `/n/${made.slug}`)).body).toContain(`href="/n/${made.slug}/find"`);
  const single = await app.create({ pages: [{ markdown: 'alone' }] });
  expect((await app.ask('GET', `/n/${single.slug}`)).body).not.toContain('/find"');
});
