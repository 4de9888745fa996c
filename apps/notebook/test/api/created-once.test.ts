import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let drawn = 0;
/** As long as the shortest that is taken. */
const aKey = () => `key-${String(drawn++).padStart(18, '0')}`;

describe.each(engines)('a notebook whose answer was lost, on $name', engine => {
  let app: NotebookApp;
  beforeAll(async () => {
    app = await startNotebookApp({ engine });
  });
  afterAll(() => app.close());

  const create = (key: string | undefined, body: object = {}, path = '/api/notebooks') =>
    app.ask('POST', path, { body, headers: key === undefined ? {} : { 'idempotency-key': `"${key}"` } });

  it('is created once by the same key, and answered again as it is now', async () => {
    const key = aKey();
    const body = { slug: 'field-notes', pages: [{ markdown: '# One' }], password: 'open sesame' };
    const first = await create(key, body);
    expect(first.statusCode).toBe(201);
    const { editToken, notebook } = first.json();
    const page = `/api/notebooks/field-notes/pages/${notebook.pages[0].id}`;
    await app.ask('PATCH', page, { token: editToken, body: { markdown: '# One\n\nmore' } });
    const second = await create(key, body);
    expect(second.statusCode).toBe(200);
    expect(second.headers.location).toBe('/n/field-notes');
    const { notebook: now, ...links } = second.json();
    expect({ ...links, slug: now.slug }).toEqual({
      editToken,
      viewUrl: first.json().viewUrl,
      editUrl: first.json().editUrl,
      slug: 'field-notes',
    });
    expect(now.pages.map(({ markdown }: { markdown: string }) => markdown)).toEqual(['# One\n\nmore']);
    expect(now.hasPassword).toBe(true);
  });

  it('is one when the request comes twice at once', async () => {
    const key = aKey();
    const both = await Promise.all([create(key), create(key)]);
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([200, 201]);
    expect(both[0]!.json().editToken).toBe(both[1]!.json().editToken);
    expect(both[0]!.json().notebook.slug).toBe(both[1]!.json().notebook.slug);
  });

  it('is found by its key alone, with a slug that is none: so nothing is created where there is nothing to find', async () => {
    const key = aKey();
    const asked = { slug: '' };
    const before = await create(key, asked);
    expect([before.statusCode, before.json().code]).toEqual([422, 'invalid']);
    const { editToken } = (await create(key, { markdown: '# Pasted' }, '/api/quick')).json();
    const found = await create(key, asked);
    expect([found.statusCode, found.json().editToken]).toEqual([200, editToken]);
    expect(found.json().notebook.pages[0].markdown).toBe('# Pasted');
  });

  it('is another one by another key, and by none', async () => {
    const answers = await Promise.all([aKey(), aKey(), undefined, undefined].map(key => create(key)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(answer => answer.json().editToken)).size).toBe(4);
  });

  const usedUp = [422, 'invalid', 'idempotency-key'];
  const refusal = async (key: string, body?: object, path?: string) => {
    const answer = await create(key, body, path);
    return [answer.statusCode, answer.json().code, answer.json().errors?.[0].path];
  };

  it('is answered to its key no more once the edit link was replaced, and the old link never opens another one', async () => {
    const key = aKey();
    const { editToken: old, notebook } = (await create(key)).json();
    const replace = (token: string) => app.ask('POST', `/api/notebooks/${notebook.slug}/token`, { token });
    const { editToken } = (await replace(old)).json();
    expect(await refusal(key)).toEqual(usedUp);
    await replace(editToken);
    expect(await refusal(key, { slug: `another-${notebook.slug.slice(0, 8)}` })).toEqual(usedUp);
    expect(await refusal(key, { markdown: 'Pasted' }, '/api/quick')).toEqual(usedUp);
    expect((await app.ask('GET', '/api/notebook', { token: old })).statusCode).toBe(404);
  });

  it('is told by name of its key when its days after the expiry are over', async () => {
    const key = aKey();
    const { editToken } = (await create(key, { expiresIn: '1h' })).json();
    app.clock.now += 5 * 86_400_000;
    expect((await app.ask('GET', '/api/notebook', { token: editToken })).statusCode).toBe(404);
    expect(await refusal(key)).toEqual(usedUp);
  });

  it('may be created again by its key once it is deleted', async () => {
    const key = aKey();
    const { editToken, notebook } = (await create(key)).json();
    await app.ask('DELETE', `/api/notebooks/${notebook.slug}`, { token: editToken });
    expect((await create(key)).statusCode).toBe(201);
  });

  it('needs a key that nobody can guess', async () => {
    const refused = await create('x'.repeat(21));
    expect(refused.statusCode).toBe(422);
    expect(refused.json().errors[0].path).toContain('idempotency-key');
    expect((await create('x'.repeat(22))).statusCode).toBe(201);
  });

  it('comes in pieces when it is large', async () => {
    const key = aKey();
    const pages = Array.from({ length: 4 }, (_, at) => ({ markdown: `# ${at}\n\n${'word 🗓️ "\\'.repeat(20_000)}` }));
    const first = await create(key, { pages });
    const second = await create(key, { pages: [] });
    expect([first.statusCode, second.statusCode]).toEqual([201, 200]);
    expect(second.headers['content-length']).toBeUndefined();
    expect(second.json()).toEqual(first.json());
  });

  it('is created once from pasted text, too, also for a terminal', async () => {
    const key = aKey();
    const first = await create(key, { markdown: '# Pasted' }, '/api/quick');
    const second = await app.ask('POST', '/api/quick', {
      body: '# Pasted',
      headers: { 'idempotency-key': key, 'content-type': 'text/markdown', accept: 'text/plain' },
    });
    expect([first.statusCode, second.statusCode]).toEqual([201, 200]);
    expect(second.body).toContain(`edit ${first.json().editUrl}`);
  });
});
