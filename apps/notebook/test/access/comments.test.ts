import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' };

describe.each(engines)('comments on $name', engine => {
  let app: NotebookApp;
  beforeAll(async () => {
    app = await startNotebookApp({ engine });
  });
  afterAll(() => app.close());

  const post = (slug: string, body: object) => app.ask('POST', `/api/notebooks/${slug}/comments`, { body });
  const list = async (slug: string) => (await app.ask('GET', `/api/notebooks/${slug}/comments`)).json().items;

  it('are written without an account and listed in the order of arrival', async () => {
    const { slug, pages } = await app.create({ pages: [{ markdown: 'a' }, { markdown: 'b' }] });
    const first = await post(slug, { body: 'On the whole.\r\nTwo lines.' });
    expect(first.statusCode).toBe(201);
    expect(first.json()).toEqual({
      id: expect.any(String),
      author: '',
      body: 'On the whole.\nTwo lines.',
      pageId: null,
      createdAt: new Date(app.clock.now).toISOString(),
    });
    await post(slug, { author: 'A  reader', body: 'On the second page.', pageId: pages[1]!.id });
    expect(
      (await list(slug)).map((comment: { author: string; pageId: string | null }) => [comment.author, comment.pageId]),
    ).toEqual([
      ['', null],
      ['A reader', pages[1]!.id],
    ]);
  });

  it('stand under their page as plain text with safe links', async () => {
    const { slug, pages } = await app.create({ pages: [{ markdown: 'a' }, { markdown: 'b' }] });
    await post(slug, {
      author: '<b>x</b>',
      body: '<script>alert(1)</script> https://example.org/a?b=1&c=2. **no markdown**',
      pageId: pages[1]!.id,
    });
    const page = (await app.ask('GET', `/n/${slug}/p/${pages[1]!.id}`)).body;
    expect(page).toContain('&lt;script>alert(1)&lt;/script>');
    expect(page).toContain(
      '<a href="https://example.org/a?b=1&amp;c=2" rel="nofollow ugc noopener noreferrer">https://example.org/a?b=1&amp;c=2</a>.',
    );
    expect(page).toContain('**no markdown**');
    expect(page).toContain('&lt;b>x&lt;/b>');
    expect((await app.ask('GET', `/n/${slug}`)).body).not.toContain('no markdown');
  });

  it('are sent by a plain form, which comes back to the comment', async () => {
    const { slug, pages } = await app.create();
    const page = pages[0]!.id;
    const form = (body: string) =>
      app.ask('POST', `/api/notebooks/${slug}/comments`, {
        body,
        headers: formHeaders,
      });
    const sent = await form(`pageId=${page}&author=&body=By+form&website=`);
    const [comment] = await list(slug);
    expect([sent.statusCode, sent.headers.location]).toEqual([303, `/n/${slug}/p/${page}#comment-${comment.id}`]);
    const robot = await form(`pageId=${page}&author=x&body=Buy&website=https%3A%2F%2Fspam.example`);
    expect(robot.statusCode).toBe(422);
    expect(await list(slug)).toHaveLength(1);
  });

  it('may have 2,000 characters, however a form sends its line breaks', async () => {
    const { slug, pages } = await app.create();
    const lines = `${'a\n'.repeat(999)}ab`;
    const body = new URLSearchParams({ pageId: pages[0]!.id, body: lines.replaceAll('\n', '\r\n') }).toString();
    const sent = await app.ask('POST', `/api/notebooks/${slug}/comments`, { body, headers: formHeaders });
    expect(sent.statusCode).toBe(303);
    expect((await list(slug))[0].body).toBe(lines);
    expect((await post(slug, { body: '🙂'.repeat(2_000) })).statusCode).toBe(201);
  });

  it('that are refused come back in their form, with a reason and every word, escaped', async () => {
    const { slug, pages } = await app.create({ title: 'Marmalade' });
    const written = { pageId: pages[0]!.id, author: 'Ada', body: `</textarea><b>${'x'.repeat(2_000)}` };
    const again = await app.ask('POST', `/api/notebooks/${slug}/comments`, {
      body: new URLSearchParams(written).toString(),
      headers: formHeaders,
    });
    expect([again.statusCode, again.headers['content-type']]).toEqual([422, 'text/html; charset=utf-8']);
    expect([again.headers['cache-control'], again.headers['x-robots-tag']]).toEqual(['no-store', 'noindex']);
    expect(again.body).toContain(`&lt;/textarea>&lt;b>${'x'.repeat(2_000)}</textarea>`);
    expect(again.body).toContain('value="Ada"');
    // It would cut a longer text that is pasted, without a word.
    expect(again.body).not.toMatch(/<textarea[^>]* maxlength/i);
    expect(again.body).toMatch(/role="alert"[^<]*>The comment must have at most 2000 characters; it has 2014\./);
    expect(again.body).not.toContain('Marmalade');
  });

  it.each([
    ['the notebook was locked', { password: 'correct horse' }, 401, 'Unlock it in a new tab, then send the comment here.'],
    ['comments were switched off', { comments: false }, 404, 'Comments are switched off for this notebook. Your words are below'],
    ['it was made private', { visibility: 'private' }, 404, 'We couldn’t find that notebook. Your words are below'],
  ])('that were written while %s come back with every word', async (_what, settings, status, problem) => {
    const { slug, editToken, pages } = await app.create({ title: 'Marmalade' });
    await app.ask('PATCH', `/api/notebooks/${slug}`, { body: settings, token: editToken });
    const written = { pageId: pages[0]!.id, author: 'Ada', body: 'Half an hour of words' };
    const again = await app.ask('POST', `/api/notebooks/${slug}/comments`, {
      body: new URLSearchParams(written).toString(),
      headers: formHeaders,
    });
    expect([again.statusCode, again.headers['cache-control'], again.headers['x-robots-tag']]).toEqual([
      status,
      'no-store',
      'noindex',
    ]);
    expect(again.body).toContain(problem);
    expect(again.body).toContain('Half an hour of words</textarea>');
    expect(again.body).not.toMatch(/Marmalade|few usual reasons/);
    // Unlocking in this tab would lose them.
    expect(again.body.includes(`href="/n/${slug}" target="_blank"`)).toBe(status === 401);
    expect('www-authenticate' in again.headers).toBe(status === 401);
  });

  it('that were written on a page which was deleted meanwhile go to the notebook when they are sent again', async () => {
    const { slug, editToken, pages } = await app.create({ pages: [{ markdown: 'a' }, { markdown: 'b' }] });
    await app.ask('DELETE', `/api/notebooks/${slug}/pages/${pages[1]!.id}`, { token: editToken });
    const send = (pageId: string) =>
      app.ask('POST', `/api/notebooks/${slug}/comments`, {
        body: new URLSearchParams({ pageId, author: '', body: 'Kept', website: '' }).toString(),
        headers: formHeaders,
      });
    const again = await send(pages[1]!.id);
    expect(again.statusCode).toBe(422);
    expect(again.body).toContain('That page was deleted. Sent again, your comment goes to the notebook as a whole.');
    const sent = await send(/name="pageId" value="([^"]*)"/.exec(again.body)?.[1] ?? '');
    const [comment] = await list(slug);
    expect([sent.statusCode, sent.headers.location]).toEqual([303, `/n/${slug}#comment-${comment.id}`]);
  });

  it.each([
    ['an empty body', { body: ' \n ' }, 'body'],
    ['no body', { author: 'x' }, 'body'],
    ['a body of 2,001 characters', { body: 'x'.repeat(2001) }, 'body'],
    ['an author of 81 characters', { author: 'x'.repeat(81), body: 'x' }, 'author'],
    ['a page of another notebook', { body: 'x', pageId: 'nopage' }, 'pageId'],
    ['an unknown field', { body: 'x', html: '<b>' }, 'html'],
  ])('are refused with %s', async (_what, body, path) => {
    const { slug } = await app.create();
    const answer = await post(slug, body);
    expect([answer.statusCode, answer.json().errors[0].path]).toEqual([422, path]);
  });

  it('can be deleted by the owner alone, and switched off', async () => {
    const { slug, editToken } = await app.create();
    const { id } = (await post(slug, { body: 'rude' })).json();
    const remove = (token?: string) =>
      app.ask('DELETE', `/api/notebooks/${slug}/comments/${id}`, token === undefined ? {} : { token });
    expect((await remove()).json().code).toBe('edit_token_missing');
    expect((await remove('W'.repeat(43))).json().code).toBe('edit_token_invalid');
    expect((await remove(editToken)).statusCode).toBe(204);
    expect((await remove(editToken)).statusCode).toBe(404);
    await post(slug, { body: 'kept for the owner' });
    await app.ask('PATCH', `/api/notebooks/${slug}`, { body: { comments: false }, token: editToken });
    expect((await post(slug, { body: 'late' })).statusCode).toBe(404);
    expect((await app.ask('GET', `/api/notebooks/${slug}/comments`)).statusCode).toBe(404);
    expect((await app.ask('GET', `/n/${slug}`)).body).not.toContain('kept for the owner');
    const own = await app.ask('GET', `/api/notebooks/${slug}/comments`, { token: editToken });
    expect(own.json().items).toHaveLength(1);
  });

  it('go with their page and with their notebook', async () => {
    const { slug, editToken, pages } = await app.create({ pages: [{ markdown: 'a' }, { markdown: 'b' }] });
    await post(slug, { body: 'x', pageId: pages[1]!.id });
    await app.ask('DELETE', `/api/notebooks/${slug}/pages/${pages[1]!.id}`, { token: editToken });
    expect(await list(slug)).toEqual([]);
    await post(slug, { body: 'y' });
    const stored = await app.parts.store.findNotebookBySlug(slug);
    await app.ask('DELETE', `/api/notebooks/${slug}`, { token: editToken });
    expect(await app.parts.store.listComments(stored!.id)).toEqual([]);
  });

  it('stop at 500 a notebook, however many ask at once', async () => {
    const { slug } = await app.create();
    const stored = await app.parts.store.findNotebookBySlug(slug);
    for (let at = 0; at < 490; at++) {
      await app.parts.store.addComment({
        id: `${stored!.id}${at}`,
        notebookId: stored!.id,
        pageId: null,
        author: '',
        body: 'x',
        createdAt: 0,
      });
    }
    const answers = await Promise.all(Array.from({ length: 30 }, () => post(slug, { body: 'x' })));
    expect(answers.filter(answer => answer.statusCode === 201)).toHaveLength(10);
    expect(answers.find(answer => answer.statusCode !== 201)!.json().code).toBe('comment_limit');
    const all = await app.ask('GET', `/api/notebooks/${slug}/comments`);
    expect(all.json().items).toHaveLength(500);
    expect(all.headers['content-type']).toBe('application/json; charset=utf-8');
  });
});

it('comments are limited to 20 in 10 minutes for an address', async () => {
  const app = await startNotebookApp({ env: { RATE_LIMITS: 'on' } });
  const { slug } = await app.create();
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => app.ask('POST', `/api/notebooks/${slug}/comments`, { body: { body: 'x' } })),
  );
  expect(answers.filter(answer => answer.statusCode === 201)).toHaveLength(20);
  expect(answers.filter(answer => answer.statusCode === 429)).toHaveLength(10);
  await app.close();
});
