import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TextTracker } from '../../src/model/text-tracker.ts';
import { indexerOf } from '../../src/operations/index-pages.ts';
import { searchNotebooks } from '../../src/operations/search-notebooks.ts';
import type { Engine } from '../../src/store/engine.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Queued } from '../../src/store/search/search-index.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { engines } from '../support/engines.ts';
import { aChange, indexAll, type Made, make, newId, noon } from './contract/subject.ts';
import { holdIndexRow, refuseInIndex } from './index-beside.ts';
import { type OpenSubject, openSubject } from './open-subject.ts';

/** As many different trigrams as a text can have: what takes an index longest. */
function randomWords(chars: number): string {
  const words: string[] = [];
  for (let length = 0; length < chars; length += words.at(-1)!.length + 1) {
    words.push(
      Math.random()
        .toString(36)
        .slice(2, 2 + 3 + Math.floor(Math.random() * 8)),
    );
  }
  return words.join(' ').slice(0, chars);
}

describe.each(engines)('the index that follows the writes, on $name', ({ name, createDatabase }) => {
  let subject: OpenSubject;
  let engine: Engine;
  beforeAll(async () => {
    subject = await openSubject({ name, createDatabase });
    engine = name === 'SQLite' ? openSqlite(subject.url.slice('sqlite:'.length)) : openPostgres(subject.url, 2);
  });
  afterAll(async () => {
    await engine.close();
    await subject.close();
  });

  const found = async (word: string) => {
    const hits = await subject.store.searchPublic({ query: word, limit: 20, offset: 0, now: noon });
    return hits.map(({ page }) => page.id);
  };
  const queuedOf = async ({ pages }: Made): Promise<Queued> => {
    const columns = 'number, page_id AS "pageId", notebook_id AS "notebookId"';
    const [row] = await subject.sql(`SELECT ${columns} FROM search_queue WHERE page_id = ?`, pages[0]!.id);
    return { ...(row as unknown as Queued), number: Number(row!.number) };
  };

  it('finds what was put back while a round had looked already, and found nothing to do', async () => {
    const { store } = subject;
    const made = await make(store, { visibility: 'public' }, ['# putbackword']);
    const { slug } = made.notebook;
    await store.takeDown(slug, noon);
    await indexAll(store);
    const [hasLooked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let looks = 0;
    const slow: Store = {
      ...store,
      async indexNextPage(after, now) {
        const turn = await store.indexNextPage(after, now);
        if (++looks === 1) {
          hasLooked.resolve();
          await answer.promise;
        }
        return turn;
      },
    };
    const parts = { store: slow, texts: new TextTracker(), now: () => noon };
    const round = indexerOf(parts).round();
    await hasLooked.promise;
    await store.takeDown(slug, null);
    const search = searchNotebooks(parts, {
      query: 'putbackword',
      page: 1,
      client: 'reader',
      signal: new AbortController().signal,
    });
    answer.resolve();
    expect((await search).items.map(({ pageId }) => pageId)).toEqual([made.pages[0]!.id]);
    await round;
  });

  it('leaves the event loop to others, in and out, for a text of the largest size', { timeout: 60_000 }, async () => {
    const made = await make(subject.store, { visibility: 'public' }, [randomWords(1_048_576)]);
    const turnsDuring = async (work: () => Promise<unknown>) => {
      let turns = 0;
      let isOver = false;
      const count = () => {
        turns += 1;
        if (!isOver) setImmediate(count);
      };
      setImmediate(count);
      await work().finally(() => {
        isOver = true;
      });
      return turns;
    };
    // Work on this thread is over in some ten turns, however long each of them takes.
    expect(await turnsDuring(() => indexAll(subject.store))).toBeGreaterThan(200);
    await subject.store.deleteNotebook(made.owner, noon);
    // PostgreSQL forgets a page in no time: only what takes long can be seen to be elsewhere.
    if (name === 'SQLite') expect(await turnsDuring(() => indexAll(subject.store))).toBeGreaterThan(200);
    else await indexAll(subject.store);
  });

  it('takes in what was queued when the process died after indexing, and keeps it once', async () => {
    const word = `w${newId()}`;
    const made = await make(subject.store, { visibility: 'public' }, [word]);
    // All that a process does before it could be killed: the page is in the index, and still in the queue.
    expect(await engine.search.follow(await queuedOf(made), true)).toBe('in');
    expect(await queuedOf(made)).toMatchObject({ pageId: made.pages[0]!.id });
    await indexAll(subject.store);
    expect(await found(word)).toEqual([made.pages[0]!.id]);
    expect(await subject.sql('SELECT number FROM search_queue')).toEqual([]);
  });

  it('forgets a page that left while it was on its way in', async () => {
    const [word, made] = [`w${newId()}`, await make(subject.store, { visibility: 'public' }, ['hidden hickory'])];
    const queued = await queuedOf(made);
    expect(await engine.search.follow(queued, true)).toBe('in');
    // Before the queue is told: nobody knows yet that the page is in the index.
    await subject.store.changeSettings(made.owner, { visibility: 'private', title: word }, noon);
    expect((await queuedOf(made)).number).toBeGreaterThan(queued.number);
    await indexAll(subject.store);
    expect(await subject.indexedTerms(['hic', 'ick'])).toEqual([]);
  });

  it('forgets a page that was deleted while it was on its way in', async () => {
    const made = await make(subject.store, { visibility: 'public' }, ['gone gooseberry']);
    const queued = await queuedOf(made);
    expect(await engine.search.follow(queued, true)).toBe('in');
    await subject.store.deleteNotebook(made.owner, noon);
    // A worker that still has the old number does not take it off the queue.
    expect((await queuedOf(made)).number).toBeGreaterThan(queued.number);
    await indexAll(subject.store);
    expect(await subject.indexedTerms(['goo', 'oos'])).toEqual([]);
  });

  it('never puts an older text over a newer one, whichever is late', async () => {
    const made = await make(subject.store, { visibility: 'public' }, ['older oleander']);
    const late = await queuedOf(made);
    await subject.store.changePage(made.owner, made.pages[0]!.id, aChange({ markdown: 'newer nasturtium' }), noon);
    await indexAll(subject.store);
    expect(await engine.search.follow(late, true)).toBe('late');
    expect(await engine.search.follow(late, false)).toBe('late');
    expect([await found('nasturtium'), await found('oleander')]).toEqual([[made.pages[0]!.id], []]);
  });

  it('puts a page aside that cannot be indexed, says so, goes on, and tries again', async () => {
    const { store } = subject;
    const allow = await refuseInIndex(subject, 'hemlock');
    const bad = await make(store, { visibility: 'public' }, ['hemlock']);
    const good = await make(store, { visibility: 'public' }, ['honeysuckle']);
    let now = noon;
    const indexer = indexerOf({ store, now: () => now });
    await indexer.round();
    const failure = { pageId: bad.pages[0]!.id, tries: 1, waitMs: 2_000, error: expect.any(Error) };
    expect(indexer.takeFailures()).toEqual([failure]);
    expect([await found('honeysuckle'), await found('hemlock')]).toEqual([[good.pages[0]!.id], []]);
    now += 1_999;
    await indexer.round();
    expect(indexer.takeFailures()).toEqual([]);
    now += 1;
    await indexer.round();
    expect(indexer.takeFailures()).toEqual([{ ...failure, tries: 2, waitMs: 4_000 }]);
    await allow();
    // Whatever changes it is a reason to try at once.
    await store.changePage(bad.owner, bad.pages[0]!.id, aChange({ markdown: 'hemlock again' }), noon);
    await indexer.round();
    expect(await found('hemlock')).toEqual([bad.pages[0]!.id]);
  });

  it('waits at most ten minutes, also where the clock was years ahead', async () => {
    const { store, sql } = subject;
    const made = await make(store, { visibility: 'public' }, ['later lavender']);
    await sql(
      'UPDATE search_queue SET tries = 40, not_before = ? WHERE page_id = ? RETURNING number',
      noon + 600_000,
      made.pages[0]!.id,
    );
    expect(await store.indexNextPage('', noon)).toBeUndefined();
    await sql('UPDATE search_queue SET not_before = ? WHERE page_id = ? RETURNING number', noon + 600_001, made.pages[0]!.id);
    expect(await store.indexNextPage('', noon)).toEqual({ notebookId: made.notebook.id });
  });

  it('takes no lock that a write waits for', async () => {
    const { store } = subject;
    const [changed, left, deleted] = await Promise.all([1, 2, 3].map(() => make(store, { visibility: 'public' }, ['jasmine'])));
    await indexAll(store);
    const release = await holdIndexRow(
      subject,
      [changed!, left!, deleted!].map(({ pages }) => pages[0]!.id),
    );
    // A lock that is not given back ends these with `DatabaseUnavailable` after five seconds.
    await store.changePage(changed!.owner, changed!.pages[0]!.id, aChange({ markdown: 'juniper' }), noon);
    await store.changeSettings(left!.owner, { visibility: 'private' }, noon);
    await store.deleteNotebook(deleted!.owner, noon);
    await release();
    await indexAll(store);
    expect([await found('juniper'), await found('jasmine')]).toEqual([[changed!.pages[0]!.id], []]);
    expect(await subject.indexedTerms(['jas', 'jun'])).toEqual(['jun']);
  });
});
