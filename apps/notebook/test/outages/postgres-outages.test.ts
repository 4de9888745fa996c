import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { type RunningPostgres, startPostgres } from '../support/postgres.ts';
import { type Save, type SavedPage, startWriting, type Writing } from './writers.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

describe('PostgreSQL fails under writers', () => {
  let postgres: RunningPostgres;
  let app: NotebookApp;
  let pages: SavedPage[];
  let writing: Writing;

  beforeAll(async () => {
    postgres = await startPostgres();
    const engine = {
      name: 'PostgreSQL',
      createDatabase: async () => ({ url: await postgres.createDatabase(), remove: () => {} }),
    } as const;
    app = await startNotebookApp({ engine, env: { LOG_LEVEL: 'silent' } });
  });
  afterEach(() => writing?.stop());
  afterAll(async () => {
    await app?.close();
    await postgres?.stop();
  });

  const save: Save = async ({ slug, pageId, editToken }, markdown, ifMatch) => {
    const { statusCode, headers, body } = await app.ask('PATCH', `/api/notebooks/${slug}/pages/${pageId}`, {
      token: editToken,
      body: { markdown },
      headers: { 'if-match': `"${ifMatch}"` },
    });
    return { status: statusCode, retryAfter: headers['retry-after']?.toString(), body };
  };

  beforeEach(async () => {
    pages = [];
    for (let number = 0; number < 6; number++) {
      const { slug, editToken, pages: made } = await app.create({ title: 'Kept' });
      pages.push({ slug, editToken, pageId: made[0]!.id });
    }
  });

  async function expectNothingLost(): Promise<void> {
    await writing.eachSavesAgain();
    await writing.stop();
    expect(writing.wrong).toEqual([]);
    expect(writing.statuses.get(503) ?? 0).toBeGreaterThan(0);
    for (const { slug, pageId, editToken } of pages) {
      const page = (await app.ask('GET', `/api/notebooks/${slug}/pages/${pageId}`, { token: editToken })).json();
      const known = writing.acknowledged.get(pageId)!;
      expect(page.revision).toBeGreaterThanOrEqual(known.revision);
      if (page.revision === known.revision) expect(page.markdown).toBe(known.markdown);
    }
    expect((await app.ask('GET', '/readyz')).statusCode).toBe(200);
  }

  /** A server that is back within a moment may have refused nobody. */
  const untilRefused = () => expect.poll(() => writing.statuses.get(503) ?? 0, { timeout: 20_000 }).toBeGreaterThan(0);

  it('restarted: 503 with Retry-After for saves, pages and readyz, then all is well by itself', async () => {
    writing = startWriting(pages, save);
    await writing.eachSavesAgain();
    await postgres.restart(async () => {
      await untilRefused();
      // A proof of half a second ago still counts.
      await expect.poll(async () => (await app.ask('GET', '/readyz')).statusCode).toBe(503);
      for (const path of ['/readyz', `/n/${pages[0]!.slug}`]) {
        const { statusCode, headers } = await app.ask('GET', path);
        expect([path, statusCode]).toEqual([path, 503]);
        expect(Number(headers['retry-after']), path).toBeGreaterThan(0);
      }
      expect((await app.ask('GET', '/healthz')).statusCode).toBe(200);
    });
    await expectNothingLost();
  });

  it('killed: what was acknowledged is there', async () => {
    writing = startWriting(pages, save);
    await writing.eachSavesAgain();
    await postgres.crash(untilRefused);
    await expectNothingLost();
  });

  it('frozen: nobody hangs, readyz says 503, pages are pages of that status, and it goes on when it wakes up', async () => {
    writing = startWriting(pages, save);
    await writing.eachSavesAgain();
    await postgres.freeze();
    try {
      // A proof of half a second ago still counts.
      const ready = async () => {
        const answer = await app.ask('GET', '/readyz');
        return [answer.statusCode, answer.json().code];
      };
      await expect.poll(ready, { timeout: 30_000 }).toEqual([503, 'unavailable']);
      const view = await app.ask('GET', `/n/${pages[0]!.slug}`);
      expect(view.statusCode).toBe(503);
      expect(view.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(Number(view.headers['retry-after'])).toBeGreaterThan(0);
      expect(view.body).toContain('<h1>The service is not available right now</h1>');
      expect((await app.ask('GET', '/healthz')).statusCode).toBe(200);
      // Once it is known to be silent, those who come are told at once.
      const quickly = async () => {
        const known = performance.now();
        const { statusCode } = await app.ask('GET', `/n/${pages[0]!.slug}`);
        return statusCode === 503 && performance.now() - known < 1_000;
      };
      await expect.poll(quickly, { timeout: 30_000 }).toBe(true);
      // Nobody hangs: each writer is answered while it is still frozen.
      await expect.poll(() => writing.refused.size, { timeout: 60_000 }).toBe(pages.length);
    } finally {
      await postgres.thaw();
    }
    await expectNothingLost();
  });
});
