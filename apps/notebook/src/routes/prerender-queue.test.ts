import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { currentClient, workFor } from '../event-loop-turns.ts';
import type { Pressure } from '../http/load/pressure.ts';
import { createPrerenderQueue } from './prerender-queue.ts';

const pressure: { level: Pressure['level'] } = { level: 'none' };

/** A queue, and what it made in each turn of the event loop. */
function openQueue(fails = false) {
  const made: string[] = [];
  const names: (string | undefined)[] = [];
  const add = createPrerenderQueue(pressure, async (_, pageId) => {
    made.push(pageId);
    names.push(currentClient());
    if (fails) throw new Error('gone');
  });
  async function perTurn(pages: number): Promise<number[]> {
    const counts: number[] = [];
    while (made.length < pages) {
      const before = made.length;
      await nextTurn();
      counts.push(made.length - before);
    }
    return counts;
  }
  return { add, made, names, perTurn };
}

it.each([false, true])('each page has a turn of the event loop, also when pages fail: %s', async fails => {
  const { add, made, perTurn } = openQueue(fails);
  for (let page = 0; page < 20; page += 1) add('slug', `${page}`);
  expect(Math.max(...(await perTurn(20)))).toBe(1);
  expect(made).toEqual(Array.from({ length: 20 }, (_, page) => `${page}`));
});

it('works in nobody’s name, no matter who wrote the first page', async () => {
  const { add, names, perTurn } = openQueue();
  workFor('writer', () => add('slug', 'one'));
  workFor('other', () => add('slug', 'two'));
  await perTurn(2);
  expect(names).toEqual([undefined, undefined]);
});

it('makes a page once that is asked for again while it waits; 512 wait at most', async () => {
  const { add, made, perTurn } = openQueue();
  for (const page of ['one', 'two', 'two', ...Array.from({ length: 600 }, (_, at) => `${at}`)]) add('slug', page);
  await perTurn(512);
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(made).toHaveLength(512);
  expect(new Set(made).size).toBe(512);
});

it('makes none under load', async () => {
  const { add, made, perTurn } = openQueue();
  pressure.level = 'high';
  add('slug', 'one');
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  pressure.level = 'none';
  add('slug', 'two');
  await perTurn(1);
  expect(made).toEqual(['two']);
});
