import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEditToken, hashEditToken } from '../../src/model/edit-token.ts';
import { Owner } from '../../src/model/rights.ts';
import { createStore } from '../../src/store/open-store.ts';
import { type Database, engines } from '../support/engines.ts';
import { addMany } from './contract/images.ts';
import { aNotebook, aPage, newId } from './contract/subject.ts';
import { type Child, startChild } from './processes/child.ts';

describe.each(engines)('two processes on one $name database', engine => {
  let database: Database;
  let racers: Child[];
  let turns = 0;
  // Started together on an empty database.
  beforeAll(async () => {
    database = await engine.createDatabase();
    racers = await Promise.all([1, 2].map(() => startChild('racer.ts', [database.url])));
    await Promise.all(racers.map(racer => racer.line(/^ready$/)));
  });
  afterAll(async () => {
    for (const racer of racers) racer.tell('end');
    expect(await Promise.all(racers.map(racer => racer.ended()))).toEqual([0, 0]);
    database.remove();
  });

  /** What each result of both counts to. */
  async function race(task: string, argument: string): Promise<Record<string, number>> {
    const turn = `turn-${++turns}`;
    for (const racer of racers) racer.tell(`${turn} ${task} ${argument}`);
    const lines = await Promise.all(racers.map(racer => racer.line(new RegExp(`^${turn} `))));
    const results = lines.map(line => JSON.parse(line.slice(turn.length)) as Record<string, number>);
    const sum: Record<string, number> = {};
    for (const [kind, times] of results.flatMap(Object.entries)) sum[kind] = (sum[kind] ?? 0) + (times as number);
    return sum;
  }

  it('both migrate, and a rate limit of 60 lets 60 of 200 through', async () => {
    expect(await race('rate', newId())).toEqual({ allowed: 60, refused: 140 });
  });

  it('one of 100 creations of a slug is made', async () => {
    expect(await race('create', `both-${newId()}`)).toEqual({ created: 1, slug_taken: 99 });
  });

  /** In the store that both processes share: the edit tokens of notebooks, the first with so many images. */
  async function makeOwned(count: number, images: number): Promise<string[]> {
    const store = createStore(database.url);
    await store.migrate();
    const tokens = Array.from({ length: count }, () => createEditToken(randomBytes));
    for (const [at, editToken] of tokens.entries()) {
      const notebook = aNotebook({ editTokenHash: hashEditToken(editToken) });
      await store.createNotebook(notebook, [aPage(notebook.id, 0)]);
      if (at === 0) await addMany(store, Owner.check(notebook, editToken)!, images);
    }
    await store.close();
    return tokens;
  }

  it('5 of 80 uploads find room beside 45 images', async () => {
    const [editToken] = await makeOwned(1, 45);
    expect(await race('upload', `${newId()} ${editToken}`)).toEqual({ added: 5, image_limit: 75 });
  });

  it('60 of 80 uploads of one address over four notebooks are let through', async () => {
    const tokens = await makeOwned(4, 0);
    expect(await race('upload', `${newId()} ${tokens.join(' ')}`)).toEqual({ added: 60, rate_limited: 20 });
  });

  it('one of 40 saves of one revision is kept', async () => {
    const store = createStore(database.url);
    await store.migrate();
    const editToken = createEditToken(randomBytes);
    const notebook = aNotebook({ editTokenHash: hashEditToken(editToken) });
    await store.createNotebook(notebook, [aPage(notebook.id, 0)]);
    expect(await race('save', `${editToken} ${notebook.slug}`)).toEqual({ changed: 1, stale: 39 });
    expect((await store.listPageHeads(notebook.id))[0]?.revision).toBe(2);
    await store.close();
  });
});
