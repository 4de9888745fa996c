import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { describe, expect, it } from 'vitest';
import { workFor } from '../../event-loop-turns.ts';
import { connectInTurns } from './connection-turns.ts';

/** A pool that gives a connection to everybody, and records what is given back. */
function poolOf(faults: Error[] = []) {
  const released: unknown[] = [];
  let asked = 0;
  return {
    released,
    asked: () => asked,
    async connect() {
      asked += 1;
      const fault = faults.shift();
      if (fault) throw fault;
      return { release: (destroy?: unknown) => void released.push(destroy) } as unknown as PoolClient;
    },
  };
}

const aMinute = 60_000;

describe('connections', () => {
  it('are given out to as many as there are, and to others once one is given back', async () => {
    const pool = poolOf();
    const connections = connectInTurns(pool, 2, aMinute);
    const [first] = await Promise.all([connections.connect(), connections.connect()]);
    const third = connections.connect();
    await nextTurn();
    expect(pool.asked()).toBe(2);
    first!.release(true);
    await third;
    expect([pool.asked(), pool.released]).toEqual([3, [true]]);
  });

  it('go to clients in turns, however many of them one client waits for', async () => {
    const connections = connectInTurns(poolOf(), 1, aMinute);
    const held = await connections.connect();
    const order: string[] = [];
    const use = (client: string) =>
      workFor(client, async () => {
        const connection = await connections.connect();
        order.push(client);
        await nextTurn();
        connection.release();
      });
    const all = [...Array.from({ length: 100 }, () => use('many')), use('few'), use('few')];
    held.release();
    await Promise.all(all);
    expect(order.slice(0, 4)).toEqual(['many', 'few', 'many', 'few']);
  });

  it('that cannot be opened leave their place to the next', async () => {
    const refused = new Error('refused');
    const connections = connectInTurns(poolOf([refused]), 1, aMinute);
    const [one, two] = [connections.connect(), connections.connect()];
    await expect(one).rejects.toBe(refused);
    (await two).release();
    await connections.connect();
  });

  it('that come too late are not waited for, and go to the next who still waits', async () => {
    const connections = connectInTurns(poolOf(), 1, 5);
    const held = await connections.connect();
    await expect(connections.connect()).rejects.toThrow('timeout exceeded when trying to connect');
    const next = connections.connect();
    held.release();
    (await next).release();
    await connections.connect();
  });
});
