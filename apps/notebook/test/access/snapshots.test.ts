import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

// A snapshot has two addresses, and neither may tell more than the list of them, whose states `doors.test.ts` goes through.

describe.each(engines)('a snapshot on $name', engine => {
  let app: NotebookApp;
  beforeAll(async () => {
    app = await startNotebookApp({ engine });
  });
  afterAll(() => app.close());

  it.each([
    ['unlisted', {}],
    ['private', { visibility: 'private' }],
    ['locked', { password: 'open sesame' }],
    ['opens once', { burnAfterRead: true }],
    ['open to visitors', { openEditing: true }],
    ['expired', { expiresIn: '1h' }],
  ])('of a notebook that is %s answers as the list does, and the owner alone reads it', async (state, settings) => {
    const [mine, other] = [await app.create({ pages: [{ markdown: 'a secret' }], ...settings }), await app.create()];
    const base = `/api/notebooks/${mine.slug}`;
    const list = `${base}/pages/${mine.pages[0]!.id}/snapshots`;
    const token = mine.editToken;
    await app.ask('PATCH', `${base}/pages/${mine.pages[0]!.id}`, { body: { markdown: 'new' }, token });
    if (state === 'expired') app.clock.now += 2 * 3_600_000;
    const [{ id }] = (await app.ask('GET', list, { token })).json().items;
    const doors = [
      ['GET', `${base}/snapshots/${id}`],
      ['GET', `${list}/${id}`],
      ['POST', `${base}/snapshots/${id}/restore`],
      ['POST', `${list}/${id}/restore`],
    ] as const;
    for (const caller of [{}, { token: other.editToken }, { token: 'x'.repeat(43) }, { headers: { 'x-edit-token': '' } }]) {
      const listed = await app.ask('GET', list, caller);
      expect(listed.statusCode).toBeGreaterThanOrEqual(401);
      for (const [method, path] of doors) {
        const answer = await app.ask(method, path, caller);
        expect([method, path, answer.statusCode, answer.json()]).toEqual([method, path, listed.statusCode, listed.json()]);
      }
    }
    // Nor does the owner of another notebook read it there, under an address of their own.
    for (const [method, path] of doors) {
      const answer = await app.ask(method, path.replace(mine.slug, other.slug), { token: other.editToken });
      expect([method, path, answer.statusCode, answer.json().code]).toEqual([method, path, 404, 'not_found']);
    }
    expect((await app.ask('GET', list.replace('/snapshots', ''), { token })).json()).toMatchObject({ markdown: 'new' });
    for (const [method, path] of doors.slice(0, 3))
      expect((await app.ask(method, path, { token })).json()).toMatchObject({ markdown: 'a secret' });
  });
});
