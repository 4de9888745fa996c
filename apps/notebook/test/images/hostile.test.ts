import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryStore, type MemoryStore } from '../../src/objects/memory.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { hostileFiles } from './hostile-files.ts';

const files = await hostileFiles();

describe('hostile files', () => {
  let app: NotebookApp;
  let objects: MemoryStore;
  let made: CreatedNotebook;
  beforeAll(async () => {
    objects = createMemoryStore();
    app = await startNotebookApp({ overrides: { objects } });
    made = await app.create();
  });
  afterAll(() => app.close());

  it('are at least sixty, each with a fault of its own', () => {
    expect(new Set(files.map(([name]) => name)).size).toBe(files.length);
    expect(files.length).toBeGreaterThanOrEqual(60);
  });

  it.each(files)('%s', async (_, detail, body) => {
    const before = process.memoryUsage.rss();
    const stored = await objects.list();
    const answer = await app.ask('POST', `/api/notebooks/${made.slug}/images`, {
      token: made.editToken,
      body,
      headers: { 'content-type': 'image/png' },
    });
    expect(answer.json()).toEqual({
      type: 'about:blank',
      title: 'The image store did not accept that file.',
      status: 415,
      code: 'image_rejected',
      detail,
    });
    expect(answer.statusCode).toBe(415);
    expect(await objects.list()).toEqual(stored);
    expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
  });
});
