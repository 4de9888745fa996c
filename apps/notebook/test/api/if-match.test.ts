import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

describe.each(engines)('If-Match on $name', engine => {
  let app: NotebookApp;
  let made: CreatedNotebook;
  beforeAll(async () => {
    app = await startNotebookApp({ engine });
    made = await app.create({ pages: [{ markdown: '# One' }, { markdown: '# Two' }] });
  });
  afterAll(() => app.close());

  it.each([
    ['2147483647', 'the largest revision that a database keeps'],
    ['"2147483648"', 'one more'],
    ['"999999999999999"', 'far more'],
    ['"9999999999999999999999"', 'more than a number holds'],
    ['"-1"', 'less than any'],
    ['"2", "3", "x,1"', 'several others'],
    ['', 'nothing'],
  ])('%s (%s) is no revision of the page: nothing is changed or deleted, and the page comes back', async match => {
    const { slug, editToken: token, pages } = made;
    const page = `/api/notebooks/${slug}/pages/${pages[0]!.id}`;
    const headers = { 'if-match': match };
    for (const answer of [
      await app.ask('PATCH', page, { token, headers, body: { markdown: 'replaced' } }),
      await app.ask('DELETE', page, { token, headers }),
    ]) {
      expect(answer.statusCode).toBe(412);
      expect(answer.json()).toMatchObject({ code: 'stale_revision', page: { markdown: '# One', revision: 1 } });
    }
    expect((await app.ask('GET', page, { token })).json()).toMatchObject({ markdown: '# One', revision: 1 });
  });

  it.each(['"1", "2"', '"7",W/"2" , "1"', '"2", "x"'])('%s lets through what it names', async match => {
    const { slug, editToken: token, pages } = await app.create({ pages: [{ markdown: '# One' }, { markdown: '# Two' }] });
    const page = `/api/notebooks/${slug}/pages/${pages[0]!.id}`;
    const headers = { 'if-match': match };
    await app.ask('PATCH', page, { token, body: { markdown: 'second' } });
    const changed = await app.ask('PATCH', page, { token, headers, body: { markdown: 'third' } });
    expect([changed.statusCode, changed.json().revision]).toEqual([200, 3]);
    expect((await app.ask('PATCH', page, { token, headers, body: { markdown: 'fourth' } })).statusCode).toBe(412);
    expect((await app.ask('DELETE', page, { token, headers: { 'if-match': '"9", "3", "4"' } })).statusCode).toBe(204);
  });
});
