import { describe, expect, it } from 'vitest';
import { FairPool } from './fair-pool.ts';

const full = () => new Error('full');
/** Lets everything run that is waiting for a promise. */
const settle = () => new Promise(resolve => setImmediate(resolve));

/** Enters for each client in turn while one place is taken; returns the events in order. */
function crowd(bounds: Partial<ConstructorParameters<typeof FairPool>[0]>) {
  const pool = new FairPool({ atOnce: 1, maxWaiting: 10, maxWaitingPerClient: 10, ...bounds }, full);
  const events: string[] = [];
  const leave = new Map<string, () => void>();
  return {
    pool,
    events,
    async enter(...names: string[]) {
      for (const name of names) {
        void pool.enter(name.slice(0, 1)).then(
          leaving => {
            events.push(name);
            leave.set(name, leaving);
          },
          () => events.push(`${name} refused`),
        );
        await settle();
      }
    },
    async leave(name: string) {
      leave.get(name)!();
      await settle();
    },
  };
}

it('gives each client its turn, however many one of them brings', async () => {
  const { enter, leave, events } = crowd({});
  await enter('a1', 'a2', 'a3', 'b1', 'c1', 'b2');
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) await leave(name);
  expect(events).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});

it('lets so many in at once, and counts a leaving once', async () => {
  const { enter, leave, events } = crowd({ atOnce: 2 });
  await enter('a1', 'b1', 'c1', 'd1');
  expect(events).toEqual(['a1', 'b1']);
  await leave('a1');
  await leave('a1');
  expect(events).toEqual(['a1', 'b1', 'c1']);
  await leave('b1');
  await leave('c1');
  await leave('d1');
  await enter('e1', 'f1', 'g1');
  expect(events).toEqual(['a1', 'b1', 'c1', 'd1', 'e1', 'f1']);
});

it('keeps no more waiting than its bounds, of one and of all', async () => {
  const one = crowd({ maxWaitingPerClient: 2 });
  await one.enter('a1', 'a2', 'a3', 'a4', 'b1');
  expect(one.events).toEqual(['a1', 'a4 refused']);
  const all = crowd({ maxWaiting: 2 });
  await all.enter('a1', 'a2', 'b1', 'c1');
  expect(all.events).toEqual(['a1', 'c1 refused']);
});

it('leaves places to others: one client has its share at most, and waits for its own', async () => {
  const { enter, leave, events } = crowd({ atOnce: 3, maxAtOncePerClient: 2 });
  await enter('a1', 'a2', 'a3', 'a4', 'b1');
  expect(events).toEqual(['a1', 'a2', 'b1']);
  await enter('c1');
  await leave('b1');
  expect(events.slice(3)).toEqual(['c1']);
  await leave('c1');
  await leave('a1');
  await leave('a2');
  expect(events.slice(4)).toEqual(['a3', 'a4']);
  await enter('b2', 'b3');
  expect(events.slice(6)).toEqual(['b2']);
});

it('makes room for a newcomer at the cost of who has most', async () => {
  const { enter, leave, events } = crowd({ maxWaiting: 3 });
  await enter('a1', 'a2', 'a3', 'b1', 'c1', 'd1');
  expect(events).toEqual(['a1', 'a3 refused', 'd1 refused']);
  for (const name of ['a1', 'a2', 'b1']) await leave(name);
  expect(events.slice(3)).toEqual(['a2', 'b1', 'c1']);
  // The room is counted again as clients leave.
  await enter('a4', 'b2', 'c2', 'd2');
  expect(events.slice(6)).toEqual(['d2 refused']);
});

it('is left when the work is over, also when it fails', async () => {
  const { pool } = crowd({ maxWaiting: 0 });
  await expect(pool.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await pool.run('a', async () => 'done')).toBe('done');
});

it('closes when those inside have left, and refuses all others', async () => {
  const { pool, enter, leave, events } = crowd({ atOnce: 2 });
  await enter('a1', 'b1', 'c1');
  const closed = pool.close().then(() => events.push('closed'));
  await settle();
  await enter('d1');
  expect(events).toEqual(['a1', 'b1', 'c1 refused', 'd1 refused']);
  await leave('a1');
  expect(events.at(-1)).toBe('d1 refused');
  await leave('b1');
  await closed;
  expect(events.at(-1)).toBe('closed');
});

it('gives a free place to the client with fewest, and tells whose turn it is', async () => {
  const { pool, enter, leave, events } = crowd({ atOnce: 3, maxAtOncePerClient: 2 });
  await enter('a1', 'a2', 'b1');
  expect(pool.findNext()).toBeUndefined();
  await enter('a3');
  // Its own limit keeps it waiting, but not the others.
  expect(pool.findNext()).toBeUndefined();
  await enter('b2', 'c1');
  expect([pool.findNext(), pool.insideOf('a'), pool.insideOf('b'), pool.insideOf('c')]).toEqual(['c', 2, 1, 0]);
  await leave('a1');
  await leave('a2');
  await leave('b1');
  expect(events).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});

describe('clients of one network', () => {
  const networkOf = (client: string) => (client < 'a' ? 'capitals' : client);

  it('come after one of another that holds fewer places', async () => {
    const { pool, enter, leave, events } = crowd({ atOnce: 2, networkOf });
    await enter('A1', 'B1', 'C1', 'D1', 'z1');
    expect([pool.findNext(), pool.insideOfNetwork('C'), pool.insideOfNetwork('z')]).toEqual(['z', 2, 0]);
    for (const name of ['A1', 'B1', 'C1']) await leave(name);
    expect(events).toEqual(['A1', 'B1', 'z1', 'C1', 'D1']);
  });

  it('do not fill the line for others', async () => {
    const { enter, leave, events } = crowd({ maxWaiting: 3, networkOf });
    await enter('A1', 'B1', 'C1', 'D1', 'z1', 'E1');
    expect(events).toEqual(['A1', 'B1 refused', 'E1 refused']);
    for (const name of ['A1', 'C1', 'D1', 'z1']) await leave(name).catch(() => {});
    expect(events.slice(3)).toEqual(['C1', 'D1', 'z1']);
    await enter('B2');
    expect(events.at(-1)).toBe('B2');
  });
});
