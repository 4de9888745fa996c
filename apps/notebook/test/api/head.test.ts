import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

describe('HEAD of an answer that is made as it is read', () => {
  let app: NotebookApp;
  let made: CreatedNotebook;
  beforeAll(async () => {
    app = await startNotebookApp();
    // Too long to be held in memory as one text.
    const markdown = `# Page\n\n${'word '.repeat(60_000)}`;
    made = await app.create({ slug: 'long-one', visibility: 'public', pages: [{ markdown }, { markdown }] });
  });
  afterAll(() => app.close());
  afterEach(() => vi.restoreAllMocks());

  it.each([
    '/n/long-one.epub',
    '/n/long-one.md',
    '/api/notebooks/long-one',
    '/n/long-one/feed.atom',
    '/sitemap.xml',
    '/llms-full.txt',
  ])('has the headers of a GET, and makes nothing: %s', async path => {
    const headersOf = async (method: 'GET' | 'HEAD') => {
      const { headers, statusCode, rawPayload } = await app.ask(method, path, { token: made.editToken });
      // Only a body is sent in chunks.
      const { date: _, 'transfer-encoding': __, etag, ...others } = headers;
      return { headers: others, hasEtag: etag !== undefined, statusCode, bytes: rawPayload.length };
    };
    const { bytes, ...get } = await headersOf('GET');
    expect(bytes).toBeGreaterThan(0);
    const { store } = app.parts;
    const reads = [vi.spyOn(store, 'findPage'), vi.spyOn(store, 'findRendering'), vi.spyOn(store, 'listPublic')];
    const countReads = () => reads.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    await headersOf('GET');
    const readsOfGet = countReads();
    expect(readsOfGet).toBeGreaterThan(0);
    expect(await headersOf('HEAD')).toEqual({ ...get, bytes: 0 });
    // If the HEAD had started anything, it would go on during this GET.
    await headersOf('GET');
    expect(countReads()).toBe(2 * readsOfGet);
  });
});
