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
    ['"1", "2"', 'several'],
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
});
