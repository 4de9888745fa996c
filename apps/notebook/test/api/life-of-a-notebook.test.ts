import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

describe.each(engines)('the life of a notebook on $name', engine => {
  let app: NotebookApp;
  beforeAll(async () => {
    app = await startNotebookApp({ engine });
  });
  afterAll(() => app.close());

  const owned = (slug: string, token: string) => async () => (await app.ask('GET', `/api/notebooks/${slug}`, { token })).json();

  it('creates with defaults and answers both links and the edit token once', async () => {
    const answer = await app.ask('POST', '/api/notebooks', { body: {} });
    const { notebook, editToken, viewUrl, editUrl } = answer.json();
    expect(answer.statusCode).toBe(201);
    expect(answer.headers.location).toBe(`/n/${notebook.slug}`);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(notebook.slug).toMatch(/^[a-z0-9]{16}$/);
    expect(editToken).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(viewUrl).toBe(`http://localhost/n/${notebook.slug}`);
    expect(editUrl).toBe(`http://localhost/e/${editToken}`);
    expect(notebook).toMatchObject({
      title: 'Untitled notebook',
      visibility: 'unlisted',
      expiresAt: null,
      readOnly: false,
      burnAfterRead: false,
      openedAt: null,
      openEditing: false,
      comments: true,
      paper: 'plain',
      hasPassword: false,
      lifecycle: 'active',
      createdAt: '2026-03-01T12:00:00.000Z',
      updatedAt: '2026-03-01T12:00:00.000Z',
    });
    expect(notebook.pages).toEqual([
      {
        id: expect.stringMatching(/^[a-z0-9]{12}$/),
        title: 'Page 1',
        markdown: '',
        revision: 1,
        updatedAt: '2026-03-01T12:00:00.000Z',
      },
    ]);
  });

  it('stores the SHA-256 of the edit token and nothing else of it', async () => {
    const { slug, editToken } = await app.create();
    const stored = await app.parts.store.findNotebookBySlug(slug);
    expect(stored?.editTokenHash).toBe(createHash('sha256').update(editToken).digest('hex'));
    expect(JSON.stringify(stored)).not.toContain(editToken);
  });

  it('takes the title from the first heading of the first page', async () => {
    const { notebook } = await app.create({
      pages: [{ markdown: 'Intro\n\n## The *real* `title` ##\n' }, { markdown: '# Second' }],
    });
    expect(notebook.title).toBe('The real title');
  });

  it('creates by quick paste, as JSON and as markdown', async () => {
    const json = await app.ask('POST', '/api/quick', { body: { markdown: '# Pasted\n\ntext' } });
    const text = await app.ask('POST', '/api/quick', {
      body: '# Pasted 日本\n\ntext',
      headers: { 'content-type': 'text/markdown' },
    });
    expect(json.json().notebook).toMatchObject({ title: 'Pasted', visibility: 'unlisted' });
    expect(text.statusCode).toBe(201);
    expect(text.json().notebook).toMatchObject({ title: 'Pasted 日本' });
    expect(text.json().notebook.pages[0].markdown).toBe('# Pasted 日本\n\ntext');
  });

  it('says whether a slug may be chosen', async () => {
    await app.create({ slug: 'chosen-one' });
    const reasonOf = async (slug: string) => (await app.ask('GET', `/api/slugs/${encodeURIComponent(slug)}`)).json();
    expect(await reasonOf('free-one')).toEqual({ slug: 'free-one', available: true });
    expect(await reasonOf('chosen-one')).toEqual({ slug: 'chosen-one', available: false, reason: 'taken' });
    expect(await reasonOf('quick')).toEqual({ slug: 'quick', available: false, reason: 'reserved' });
    expect(await reasonOf('No Good')).toEqual({ slug: 'No Good', available: false, reason: 'invalid' });
    const long = 'x'.repeat(8_000);
    expect(await reasonOf(long)).toEqual({ slug: long, available: false, reason: 'invalid' });
  });

  it('lets readers read without the owner’s part, as JSON and as markdown', async () => {
    const { slug, editToken } = await app.create({
      pages: [{ markdown: '# A\r\n\r\none' }, { title: 'Named', markdown: 'two' }],
    });
    const json = await app.ask('GET', `/api/notebooks/${slug}`);
    expect(json.json().pages.map((page: { markdown: string }) => page.markdown)).toEqual(['# A\r\n\r\none', 'two']);
    expect(Object.keys(json.json())).not.toContain('hasPassword');
    expect(json.body).not.toContain(editToken);
    const markdown = await app.ask('GET', `/api/notebooks/${slug}`, { headers: { accept: 'text/markdown' } });
    expect(markdown.headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(markdown.body).toBe('# A\n\none\n\n---\n\n# Named\n\ntwo\n');
    expect((await app.ask('GET', `/n/${slug}.md`)).body).toBe(markdown.body);
  });

  it('answers the notebook that a token owns', async () => {
    const { slug, editToken, notebook } = await app.create({ title: 'Mine' });
    const answer = await app.ask('GET', '/api/notebook', { token: editToken });
    expect(answer.json()).toEqual(notebook);
    expect(answer.json().slug).toBe(slug);
  });

  it('adds, titles, orders and deletes pages', async () => {
    const { slug, editToken, pages } = await app.create({ pages: [{ markdown: 'a' }] });
    const first = pages[0]!.id;
    const add = async (body: object) =>
      (await app.ask('POST', `/api/notebooks/${slug}/pages`, { body, token: editToken })).json();
    const last = await add({ title: 'Last', markdown: 'z' });
    const middle = await add({ markdown: '# Middle', after: first });
    expect(middle).toMatchObject({ title: 'Middle', revision: 1 });
    const read = owned(slug, editToken);
    const order = async () => (await read()).pages.map((page: { id: string }) => page.id);
    expect(await order()).toEqual([first, middle.id, last.id]);
    const reordered = await app.ask('PATCH', `/api/notebooks/${slug}`, {
      body: { pageOrder: [last.id, first, middle.id] },
      token: editToken,
    });
    expect(reordered.json().pages.map((page: { id: string }) => page.id)).toEqual([last.id, first, middle.id]);
    for (const id of [last.id, first])
      expect((await app.ask('DELETE', `/api/notebooks/${slug}/pages/${id}`, { token: editToken })).statusCode).toBe(204);
    const refused = await app.ask('DELETE', `/api/notebooks/${slug}/pages/${middle.id}`, { token: editToken });
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'last_page']);
    expect(await order()).toEqual([middle.id]);
  });

  it('adds a page once for one Idempotency-Key, in quotes or without, whatever was changed since', async () => {
    const { slug, editToken } = await app.create({ openEditing: true });
    const add = (key: string, body: object, token = '') =>
      app.ask('POST', `/api/notebooks/${slug}/pages`, { body, ...(token && { token }), headers: { 'idempotency-key': key } });
    const made = (await add('"a-page_1"', { markdown: 'first' }, editToken)).json();
    const path = `/api/notebooks/${slug}/pages/${made.id}`;
    await app.ask('PATCH', path, { body: { markdown: 'later' }, token: editToken });
    const again = await add('a-page_1', { markdown: 'first', after: 'gone' }, editToken);
    expect([again.statusCode, again.headers.location]).toEqual([200, path]);
    expect(again.json()).toMatchObject({ id: made.id, markdown: 'later', revision: 2 });
    expect((await owned(slug, editToken)()).pages).toHaveLength(2);
    expect((await add('a-page_2', { markdown: 'first' })).json().id).not.toBe(made.id);
    for (const bad of ['', 'ü', 'two words', 'x'.repeat(65)]) {
      const refused = await add(bad, { markdown: 'no' }, editToken);
      expect([bad, refused.statusCode, JSON.stringify(refused.json()).includes('idempotency-key')]).toEqual([bad, 422, true]);
    }
    await app.ask('PATCH', `/api/notebooks/${slug}`, { body: { readOnly: true }, token: editToken });
    expect((await add('a-page_1', { markdown: 'first' }, editToken)).statusCode).toBe(409);
    expect((await owned(slug, editToken)()).pages).toHaveLength(3);
  });

  it('refuses a stale save with the current page and overwrites nothing', async () => {
    const { slug, editToken, pages } = await app.create({ pages: [{ markdown: 'base' }] });
    const url = `/api/notebooks/${slug}/pages/${pages[0]!.id}`;
    const save = (markdown: string, ifMatch?: string) =>
      app.ask('PATCH', url, {
        body: { markdown },
        token: editToken,
        headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
      });
    const mine = await save('mine', '"1"');
    expect([mine.statusCode, mine.headers.etag, mine.json().revision]).toEqual([200, '"2"', 2]);
    const theirs = await save('theirs', '"1"');
    expect([theirs.statusCode, theirs.json().code]).toEqual([412, 'stale_revision']);
    expect(theirs.json().page).toMatchObject({ id: pages[0]!.id, markdown: 'mine', revision: 2 });
    expect((await save('theirs', '"nonsense"')).statusCode).toBe(412);
    expect((await app.ask('GET', url)).json()).toMatchObject({ markdown: 'mine', revision: 2 });
    expect((await save('anyway', '*')).json()).toMatchObject({ markdown: 'anyway', revision: 3 });
    const same = await save('anyway', '"3"');
    expect(same.json()).toMatchObject({ revision: 3 });
  });

  it('keeps what a change replaced as a snapshot and restores it', async () => {
    const { slug, editToken, pages } = await app.create({ pages: [{ markdown: 'v1' }] });
    const url = `/api/notebooks/${slug}/pages/${pages[0]!.id}`;
    for (let version = 2; version <= 14; version++) {
      app.clock.now += 1_000;
      await app.ask('PATCH', url, { body: { markdown: `v${version}` }, token: editToken });
    }
    const { items } = (await app.ask('GET', `${url}/snapshots`, { token: editToken })).json();
    expect(items.map((item: { revision: number }) => item.revision)).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4]);
    const oldest = items.at(-1);
    const snapshot = `/api/notebooks/${slug}/snapshots/${oldest.id}`;
    const read = await app.ask('GET', snapshot, { token: editToken });
    expect(read.json()).toMatchObject({ markdown: 'v4', bytes: 2 });
    const restored = await app.ask('POST', `${snapshot}/restore`, { token: editToken });
    expect(restored.json()).toMatchObject({ markdown: 'v4', revision: 15 });
    const after = (await app.ask('GET', `${url}/snapshots`, { token: editToken })).json().items;
    expect(after).toHaveLength(10);
    expect(after[0]).toMatchObject({ revision: 14 });
  });

  it('knows a snapshot by its page too, and by no other page or notebook', async () => {
    const [mine, other] = [await app.create({ pages: [{ markdown: 'old' }, { markdown: 'b' }] }), await app.create()];
    const [first, second] = mine.pages.map(({ id }) => `/api/notebooks/${mine.slug}/pages/${id}`) as [string, string];
    const token = mine.editToken;
    await app.ask('PATCH', first, { body: { markdown: 'new' }, token });
    const [{ id }] = (await app.ask('GET', `${first}/snapshots`, { token })).json().items;
    expect((await app.ask('GET', `${first}/snapshots/${id}`, { token })).json()).toMatchObject({ id, markdown: 'old' });
    const elsewhere = [
      await app.ask('GET', `${second}/snapshots/${id}`, { token }),
      await app.ask('POST', `${second}/snapshots/${id}/restore`, { token }),
      await app.ask('GET', `/api/notebooks/${other.slug}/snapshots/${id}`, { token: other.editToken }),
      await app.ask('POST', `/api/notebooks/${other.slug}/snapshots/${id}/restore`, { token: other.editToken }),
    ];
    expect(elsewhere.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404]);
    expect((await app.ask('GET', first, { token })).json()).toMatchObject({ markdown: 'new', revision: 2 });
    const restored = await app.ask('POST', `${first}/snapshots/${id}/restore`, { token });
    expect(restored.json()).toMatchObject({ markdown: 'old', revision: 3 });
  });

  it('makes no snapshot on every autosave tick', async () => {
    const { slug, editToken, pages } = await app.create({ pages: [{ markdown: 'v1' }] });
    const url = `/api/notebooks/${slug}/pages/${pages[0]!.id}`;
    const count = async () => (await app.ask('GET', `${url}/snapshots`, { token: editToken })).json().items.length;
    for (let tick = 0; tick < 20; tick++) {
      app.clock.now += 2_000;
      await app.ask('PATCH', url, { body: { markdown: `tick ${tick}`, autosave: true }, token: editToken });
    }
    expect(await count()).toBe(1);
    app.clock.now += 5 * 60_000;
    await app.ask('PATCH', url, { body: { markdown: 'later', autosave: true }, token: editToken });
    expect(await count()).toBe(2);
  });

  it('stops every content change while read-only, but no setting', async () => {
    const { slug, editToken, pages } = await app.create({ readOnly: true, pages: [{ markdown: 'kept' }, { markdown: 'b' }] });
    const page = `/api/notebooks/${slug}/pages/${pages[0]!.id}`;
    const refusals = [
      await app.ask('PATCH', page, { body: { markdown: 'x' }, token: editToken }),
      await app.ask('POST', `/api/notebooks/${slug}/pages`, { body: {}, token: editToken }),
      await app.ask('DELETE', page, { token: editToken }),
      await app.ask('PATCH', `/api/notebooks/${slug}`, {
        body: { pageOrder: pages.map(({ id }) => id).reverse() },
        token: editToken,
      }),
    ];
    expect(refusals.map(answer => [answer.statusCode, answer.json().code])).toEqual(Array(4).fill([409, 'read_only']));
    const open = await app.ask('PATCH', `/api/notebooks/${slug}`, { body: { readOnly: false, title: 'Open' }, token: editToken });
    expect(open.json()).toMatchObject({ readOnly: false, title: 'Open' });
    expect((await app.ask('PATCH', page, { body: { markdown: 'x' }, token: editToken })).statusCode).toBe(200);
  });

  it('blocks the view link of a private notebook and opens it with the token', async () => {
    const { slug, editToken } = await app.create({ visibility: 'private', pages: [{ markdown: 'hidden words' }] });
    const doors = [`/n/${slug}`, `/n/${slug}/print`, `/n/${slug}.md`, `/api/notebooks/${slug}`];
    for (const door of doors) {
      const answer = await app.ask('GET', door);
      expect([door, answer.statusCode]).toEqual([door, 404]);
      expect(answer.body).not.toContain('hidden words');
      expect((await app.ask('GET', door, { token: editToken })).body).toContain('hidden words');
    }
    const write = await app.ask('PATCH', `/api/notebooks/${slug}`, { body: { title: 'x' }, token: 'B'.repeat(43) });
    expect([write.statusCode, write.json().code]).toEqual([404, 'not_found']);
  });

  it('rotates the edit token: the old one is dead', async () => {
    const { slug, editToken } = await app.create();
    const rotated = (await app.ask('POST', `/api/notebooks/${slug}/token`, { token: editToken })).json();
    expect(rotated.editUrl).toBe(`http://localhost/e/${rotated.editToken}`);
    expect((await app.ask('GET', '/api/notebook', { token: editToken })).statusCode).toBe(404);
    expect((await app.ask('GET', `/e/${editToken}`)).statusCode).toBe(404);
    expect((await app.ask('PATCH', `/api/notebooks/${slug}`, { body: { title: 'x' }, token: editToken })).statusCode).toBe(403);
    expect((await app.ask('GET', '/api/notebook', { token: rotated.editToken })).json().slug).toBe(slug);
  });

  it.each([
    ['unlisted', [403, 'edit_token_invalid']],
    ['private', [404, 'not_found']],
  ])('rotates the edit token of a notebook (%s) once when it is asked twice at once', async (visibility, refused) => {
    const { slug, editToken } = await app.create({ visibility });
    const ask = () => app.ask('POST', `/api/notebooks/${slug}/token`, { token: editToken });
    const answers = await Promise.all([ask(), ask()]);
    const told = answers.map(answer => [answer.statusCode, answer.json().code]);
    expect(told.sort()).toEqual([[200, undefined], refused]);
  });

  it('deletes the notebook with everything, and keeps its slug from others for 90 days', async () => {
    const { slug, editToken, pages } = await app.create({ slug: 'short-lived', pages: [{ markdown: 'gone soon' }] });
    const answer = await app.ask('DELETE', `/api/notebooks/${slug}`, { token: editToken });
    expect([answer.statusCode, answer.json()]).toEqual([200, { deleted: true }]);
    for (const door of [
      `/n/${slug}`,
      `/n/${slug}/print`,
      `/n/${slug}.md`,
      `/api/notebooks/${slug}`,
      `/e/${editToken}`,
      `/api/notebooks/${slug}/pages/${pages[0]!.id}`,
    ]) {
      expect([door, (await app.ask('GET', door, { token: editToken })).statusCode]).toEqual([door, 404]);
    }
    expect((await app.ask('POST', '/api/notebooks', { body: { slug } })).json().code).toBe('slug_taken');
    app.clock.now += 90 * 86_400_000 + 1;
    expect((await app.ask('POST', '/api/notebooks', { body: { slug } })).statusCode).toBe(201);
  });

  it('gives one slug to exactly one of 100 who ask at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => app.ask('POST', '/api/notebooks', { body: { slug: 'wanted-by-all' } })),
    );
    const counts = Object.groupBy(answers, answer => String(answer.statusCode));
    expect([counts['201']?.length, counts['409']?.length]).toEqual([1, 99]);
  });
});
