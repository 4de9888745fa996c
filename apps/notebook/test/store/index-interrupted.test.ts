import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TextTracker } from '../../src/model/text-tracker.ts';
import type { Engine } from '../../src/store/engine.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { indexNextPage } from '../../src/store/search/index-next-page.ts';
import { postgresSearch } from '../../src/store/search/postgres-search.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import { compileStatements } from '../../src/store/statements.ts';
import { engines } from '../support/engines.ts';
import { indexAll, type Made, make, newId, noon } from './contract/subject.ts';
import { type OpenSubject, openSubject } from './open-subject.ts';

// Whatever happens between two questions of the indexer, the index has in the end what the pages say.

type Change = (made: Made) => Promise<unknown>;
type Ask = (...given: never[]) => Promise<unknown>;

describe.each(engines)('while a page is indexed on $name', ({ name, createDatabase }) => {
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

  /** Works off the queue. `pause` is awaited before and after each of the indexer's questions. */
  async function indexWhile(pause: () => Promise<void>): Promise<void> {
    const between = <Asked extends Ask>(ask: Asked) =>
      (async (...given: Parameters<Asked>) => {
        await pause();
        const answer = await ask(...given);
        await pause();
        return answer;
      }) as Asked;
    const [read, run, write] = [between(engine.read), between(engine.run), between(engine.write)];
    const search =
      name === 'SQLite'
        ? { ...engine.search, follow: between(engine.search.follow) }
        : postgresSearch(engine.builder, { read, write });
    const paused: Engine = { ...engine, read, run, write, search };
    const statements = compileStatements(paused, { maxNotebookBytes: 1_000_000 });
    for (let after: string | undefined = ''; after !== undefined; )
      after = (await indexNextPage(paused, statements, new TextTracker(), after, noon))?.notebookId;
    if (search !== engine.search && name !== 'SQLite') await search.close();
  }

  /** The changes are made one after the other, the first at this point and each next one so many points later. */
  async function indexDuring(made: Made, changes: readonly Change[], first: number, step: number): Promise<number> {
    const left = changes.map((change, at): [number, Change] => [first + at * step, change]);
    let points = 0;
    await indexWhile(async () => {
      const now = points++;
      while (left[0] && left[0][0] <= now) await left.shift()![1](made);
    });
    for (const [, change] of left) await change(made);
    await indexAll(subject.store);
    return points;
  }

  const found = async (word: string) => {
    const hits = await subject.store.searchPublic({ query: word, limit: 20, offset: 0, now: noon });
    return hits.map(({ page }) => page.id);
  };
  const takeDown: Change = ({ notebook }) => subject.store.takeDown(notebook.slug, noon);
  const putBack: Change = ({ notebook }) => subject.store.takeDown(notebook.slug, null);
  const see =
    (visibility: 'public' | 'private'): Change =>
    ({ owner }) =>
      subject.store.changeSettings(owner, { visibility }, noon);

  /** Every point of a round, and some after it. */
  async function atEveryPoint(changes: readonly Change[], step: number, check: (made: Made, word: string) => Promise<void>) {
    for (let first = 0, points = 1; first <= points; first++) {
      const word = `w${newId()}`;
      const made = await make(subject.store, { visibility: 'public' }, [word]);
      points = await indexDuring(made, changes, first, step);
      expect(points).toBeGreaterThan(8);
      await check(made, word);
      expect(await subject.sql('SELECT page_id FROM search_queue'), `from point ${first}`).toEqual([]);
      await subject.store.deleteNotebook(made.owner, noon);
      await indexAll(subject.store);
    }
  }

  it.each([1, 6, 8])('what is taken down and put back %i points later is found', async step => {
    await atEveryPoint([takeDown, putBack], step, async (made, word) => {
      expect(await found(word)).toEqual([made.pages[0]!.id]);
    });
  });

  it.each([1])('what is hidden, shown, taken down and put back, each %i point later, is found', async step => {
    await atEveryPoint([see('private'), see('public'), takeDown, putBack], step, async (made, word) => {
      expect(await found(word)).toEqual([made.pages[0]!.id]);
    });
  });

  it.each([1])('what is put back and taken down again %i point later leaves the index', async step => {
    await atEveryPoint([takeDown, putBack, takeDown], step, async (made, word) => {
      expect(await found(word)).toEqual([]);
      expect(await subject.indexedTerms([word.slice(0, 3), word.slice(1, 4)])).toEqual([]);
      await putBack(made);
      await indexAll(subject.store);
      expect(await found(word)).toEqual([made.pages[0]!.id]);
    });
  });
});
