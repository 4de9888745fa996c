import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

describe.each(engines)('the bytes that a notebook may hold on $name', engine => {
  let app: NotebookApp;
  beforeAll(async () => {
    app = await startNotebookApp({ engine, env: { MAX_NOTEBOOK_BYTES: '1000' } });
  });
  afterAll(() => app.close());

  const problem = {
    status: 413,
    code: 'notebook_too_large',
    title: 'This notebook holds as much text as it can.',
    detail: expect.stringMatching(/text together\. Shorten or delete pages, or continue in a new notebook\.$/),
  };

  it('are refused past the bound at every door that writes text, and what was there stays', async () => {
    const { slug, editToken: token, pages } = await app.create({ pages: [{ markdown: 'é'.repeat(300) }, { markdown: 'b' }] });
    const page = `/api/notebooks/${slug}/pages/${pages[0]!.id}`;
    const before = (await app.ask('GET', '/api/notebook', { token })).json();
    const long = 'x'.repeat(1_000);
    for (const [method, url, body] of [
      ['PATCH', page, { markdown: long }],
      ['PATCH', page, { markdown: long, autosave: true }],
      ['POST', `/api/notebooks/${slug}/pages`, { markdown: 'x'.repeat(400) }],
    ] as const) {
      const answer = await app.ask(method, url, { token, body });
      expect([method, answer.statusCode, answer.json()]).toEqual([method, 413, expect.objectContaining(problem)]);
      expect(answer.headers['content-type']).toContain('application/problem+json');
    }
    expect((await app.ask('GET', '/api/notebook', { token })).json()).toEqual(before);
    expect(
      (await app.ask('POST', `/api/notebooks/${slug}/pages`, { token, body: { markdown: 'x'.repeat(399) } })).statusCode,
    ).toBe(201);
  });

  it('hold the hidden parts of imported files: a page is refused for them, and it is said', async () => {
    const file = { path: 'a.md', patch: 'p'.repeat(496) };
    const { slug, editToken: token, pages } = await app.create({ pages: [{ markdown: 'x'.repeat(400), file }] });
    const page = `/api/notebooks/${slug}/pages/${pages[0]!.id}`;
    const before = (await app.ask('GET', '/api/notebook', { token })).json();
    const larger = { path: 'a.md', patch: 'p'.repeat(597) };
    for (const [method, url, body] of [
      ['POST', `/api/notebooks/${slug}/pages`, { markdown: '', file: { path: 'b.md', patch: 'p'.repeat(97) } }],
      ['PATCH', page, { markdown: 'y'.repeat(400), file: larger }],
      ['PATCH', page, { file: larger }],
      ['POST', '/api/notebooks', { pages: [{ markdown: 'x', file: { path: 'a.md', patch: 'p'.repeat(996) } }] }],
    ] as const) {
      const answer = await app.ask(method, url, { token, body });
      expect([url, answer.statusCode, answer.json().code]).toEqual([url, 413, 'notebook_too_large']);
      expect(answer.json().detail).toContain('The parts of imported files that only an export shows count too.');
    }
    expect((await app.ask('GET', '/api/notebook', { token })).json()).toEqual(before);
    expect((await app.ask('PATCH', page, { token, body: { file: { path: 'a.md' } } })).statusCode).toBe(200);
    expect((await app.ask('PATCH', page, { token, body: { markdown: 'z'.repeat(996) } })).statusCode).toBe(200);
  });

  it('are refused in a restored snapshot too', async () => {
    const { slug, editToken: token, pages } = await app.create({ pages: [{ markdown: 'x'.repeat(800) }, { markdown: '' }] });
    const [long, other] = pages.map(({ id }) => `/api/notebooks/${slug}/pages/${id}`) as [string, string];
    await app.ask('PATCH', long, { token, body: { markdown: '' } });
    await app.ask('PATCH', other, { token, body: { markdown: 'y'.repeat(800) } });
    const { items } = (await app.ask('GET', `${long}/snapshots`, { token })).json();
    const answer = await app.ask('POST', `/api/notebooks/${slug}/snapshots/${items[0].id}/restore`, { token });
    expect([answer.statusCode, answer.json().code]).toEqual([413, 'notebook_too_large']);
    expect((await app.ask('GET', long, { token })).json().markdown).toBe('');
  });

  it('are refused in a new notebook, and none is made', async () => {
    for (const url of ['/api/notebooks', '/api/quick']) {
      const body =
        url === '/api/quick'
          ? { markdown: 'x'.repeat(1_001) }
          : { slug: 'too-large-once', pages: [{ markdown: 'x'.repeat(1_001) }] };
      const answer = await app.ask('POST', url, { body });
      expect([url, answer.statusCode, answer.json().code]).toEqual([url, 413, 'notebook_too_large']);
    }
    expect((await app.ask('GET', '/api/slugs/too-large-once')).json().available).toBe(true);
  });
});
