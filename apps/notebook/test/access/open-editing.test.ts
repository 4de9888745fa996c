import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/objects/memory.ts';
import { aPicture } from '../images/pictures.ts';
import { engines } from '../support/engines.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

const picture = await aPicture('png');

describe.each(engines)('open editing on $name', engine => {
  let app: NotebookApp;
  beforeAll(async () => {
    app = await startNotebookApp({ engine, overrides: { objects: createMemoryStore() } });
  });
  afterAll(() => app.close());

  const pageOf = ({ slug, pages }: CreatedNotebook) => `/api/notebooks/${slug}/pages/${pages[0]!.id}`;
  const uploadTo = ({ slug }: CreatedNotebook, headers: Record<string, string> = {}) =>
    app.ask('POST', `/api/notebooks/${slug}/images`, { body: picture, headers: { 'content-type': 'image/png', ...headers } });
  const write = (made: CreatedNotebook, headers: Record<string, string> = {}) =>
    app.ask('PATCH', pageOf(made), { body: { markdown: 'by a visitor' }, headers });

  it('is off at first: a visitor changes nothing and finds no editor', async () => {
    const made = await app.create();
    expect((await write(made)).json().code).toBe('edit_token_missing');
    expect((await app.ask('POST', `/api/notebooks/${made.slug}/pages`, { body: {} })).json().code).toBe('edit_token_missing');
    expect((await uploadTo(made)).json().code).toBe('edit_token_missing');
    expect((await app.ask('GET', `/n/${made.slug}/edit`)).statusCode).toBe(404);
    expect((await app.ask('GET', `/n/${made.slug}`)).body).not.toContain(`/n/${made.slug}/edit`);
  });

  it.each(['off', 'on'])('that is %s lets nobody write with a wrong edit token', async state => {
    const made = await app.create({ openEditing: state === 'on', pages: [{ markdown: 'before' }] });
    const headers = { 'x-edit-token': (await app.create()).editToken };
    const notebook = `/api/notebooks/${made.slug}`;
    const answers = [
      await write(made, headers),
      await app.ask('POST', `${notebook}/pages`, { body: { markdown: 'new' }, headers }),
      await uploadTo(made, headers),
      await app.ask('DELETE', pageOf(made), { headers }),
      await app.ask('PATCH', notebook, { body: { openEditing: true }, headers }),
      await app.ask('DELETE', notebook, { headers }),
    ];
    expect(answers.map(({ statusCode, body }) => [statusCode, body && JSON.parse(body).code])).toEqual(
      answers.map(() => [403, 'edit_token_invalid']),
    );
    const { pages, openEditing } = (await app.ask('GET', notebook, { token: made.editToken })).json();
    expect([pages.length, pages[0].markdown, openEditing]).toEqual([1, 'before', state === 'on']);
  });

  it('lets a visitor add images, and see or delete none of them', async () => {
    const made = await app.create({ openEditing: true });
    const added = await uploadTo(made);
    expect(added.statusCode).toBe(201);
    const images = `/api/notebooks/${made.slug}/images`;
    for (const answer of [await app.ask('GET', images), await app.ask('DELETE', `${images}/${added.json().id}`)]) {
      expect([answer.statusCode, answer.json().code]).toEqual([401, 'edit_token_missing']);
    }
  });

  it('of a burn-after-read notebook is for the one who opened it', async () => {
    const made = await app.create({ openEditing: true, burnAfterRead: true });
    expect((await uploadTo(made)).json().code).toBe('not_found');
    const opened = await app.ask('POST', `/api/notebooks/${made.slug}/open`);
    const cookie = String(opened.headers['set-cookie']).split(';')[0]!;
    expect((await uploadTo(made)).json().code).toBe('not_found');
    expect((await uploadTo(made, { cookie })).statusCode).toBe(201);
    expect((await uploadTo(made, { cookie, 'sec-fetch-site': 'cross-site' })).json().code).toBe('forbidden');
  });

  it('lets a visitor change texts and titles and add pages', async () => {
    const made = await app.create({ openEditing: true, pages: [{ markdown: 'before' }] });
    expect((await write(made)).json()).toMatchObject({ markdown: 'by a visitor', revision: 2 });
    expect((await app.ask('PATCH', pageOf(made), { body: { title: 'Renamed' } })).json().title).toBe('Renamed');
    const added = await app.ask('POST', `/api/notebooks/${made.slug}/pages`, {
      body: { markdown: 'new', after: made.pages[0]!.id },
    });
    expect(added.statusCode).toBe(201);
    const stale = await app.ask('PATCH', pageOf(made), { body: { markdown: 'late' }, headers: { 'if-match': '"1"' } });
    expect(stale.statusCode).toBe(412);
    expect((await app.ask('GET', `/n/${made.slug}/edit`)).statusCode).toBe(200);
    expect((await app.ask('GET', `/n/${made.slug}`)).body).toContain(`/n/${made.slug}/edit`);
  });

  it('never lets a visitor delete, order, set, rotate or look at snapshots', async () => {
    const made = await app.create({ openEditing: true, pages: [{ markdown: 'a' }, { markdown: 'b' }] });
    await write(made);
    const base = `/api/notebooks/${made.slug}`;
    const [snapshot] = (await app.ask('GET', `${pageOf(made)}/snapshots`, { token: made.editToken })).json().items;
    const refused = [
      await app.ask('DELETE', base),
      await app.ask('DELETE', pageOf(made)),
      await app.ask('PATCH', base, { body: { title: 'Mine now' } }),
      await app.ask('PATCH', base, { body: { expiresAt: null } }),
      await app.ask('PATCH', base, { body: { password: 'x' } }),
      await app.ask('PATCH', base, { body: { openEditing: false } }),
      await app.ask('PATCH', base, { body: { pageOrder: made.pages.map(({ id }) => id).reverse() } }),
      await app.ask('POST', `${base}/token`),
      await app.ask('GET', `${pageOf(made)}/snapshots`),
      await app.ask('GET', `${pageOf(made)}/snapshots/${snapshot.id}`),
      await app.ask('POST', `${pageOf(made)}/snapshots/${snapshot.id}/restore`),
      await app.ask('GET', `${base}/snapshots/${snapshot.id}`),
      await app.ask('POST', `${base}/snapshots/${snapshot.id}/restore`),
    ];
    for (const answer of refused) expect([answer.statusCode, answer.json().code]).toEqual([401, 'edit_token_missing']);
  });

  it('is open to a visitor whose client sends an empty token', async () => {
    const made = await app.create({ openEditing: true, pages: [{ markdown: 'a' }] });
    const headers = { 'x-edit-token': '' };
    expect((await app.ask('GET', `/api/notebooks/${made.slug}`, { headers })).statusCode).toBe(200);
    expect((await app.ask('PATCH', pageOf(made), { body: { markdown: 'by a visitor' }, headers })).statusCode).toBe(200);
  });

  it('is stopped by read-only, for visitors and the owner alike', async () => {
    const made = await app.create({ openEditing: true, readOnly: true });
    expect((await write(made)).json().code).toBe('read_only');
    expect((await uploadTo(made)).json().code).toBe('read_only');
    expect((await uploadTo(made, { 'x-edit-token': made.editToken })).json().code).toBe('read_only');
    expect((await app.ask('PATCH', pageOf(made), { body: { markdown: 'x' }, token: made.editToken })).json().code).toBe(
      'read_only',
    );
    expect((await app.ask('GET', `/n/${made.slug}/edit`)).statusCode).toBe(404);
  });

  it('asks for the password first, where there is one', async () => {
    const made = await app.create({ openEditing: true, password: 'key' });
    expect((await write(made)).json().code).toBe('password_required');
    expect((await uploadTo(made)).json().code).toBe('password_required');
    expect((await app.ask('GET', `/n/${made.slug}/edit`)).statusCode).toBe(401);
    const unlocked = await app.ask('POST', `/api/notebooks/${made.slug}/unlock`, { body: { password: 'key' } });
    const cookie = String(unlocked.headers['set-cookie']).split(';')[0]!;
    expect((await write(made, { cookie })).statusCode).toBe(200);
    expect((await uploadTo(made, { cookie })).statusCode).toBe(201);
    const foreign = await write(made, { cookie, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' });
    expect(foreign.json().code).toBe('forbidden');
  });

  it('ends for everybody the moment it is switched off', async () => {
    const made = await app.create({ openEditing: true });
    await app.ask('PATCH', `/api/notebooks/${made.slug}`, { body: { openEditing: false }, token: made.editToken });
    expect((await write(made)).json().code).toBe('edit_token_missing');
  });
});
