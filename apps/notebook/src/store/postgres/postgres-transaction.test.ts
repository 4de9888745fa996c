import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { createStore } from '../open-store.ts';
import type { Query, Steps } from '../statement.ts';
import { UncertainCommit } from './postgres-errors.ts';
import { retry, runStatement, toQueryConfig, transact } from './postgres-transaction.ts';

const lost = Object.assign(new Error('lost'), { code: 'ECONNRESET' });
const refused = Object.assign(new Error('duplicate key'), { code: '23505' });

/** A pool of one connection. Queries with these texts fail; every call is recorded. */
function open(faults: Record<string, Error> = {}, connects: (Error | undefined)[] = []) {
  const seen: unknown[] = [];
  const client = {
    query: async (query: string | { text: string; values: unknown[] }) => {
      const text = typeof query === 'string' ? query : query.text;
      seen.push(typeof query === 'string' ? query : [text, ...query.values]);
      if (faults[text]) throw faults[text];
      return { rows: [{ of: text }] };
    },
    release: (broken?: unknown) => void seen.push(broken === undefined ? 'released' : ['released', broken]),
  };
  const pool = {
    connect: async () => {
      const fault = connects.shift();
      seen.push(fault ? 'not connected' : 'connected');
      if (fault) throw fault;
      return client;
    },
  };
  return { pool: pool as unknown as Pool, seen };
}
const query = (sql: string, ...values: string[]): Query => ({ sql, values, isFixed: true });
function* twoSteps(): Steps<unknown[]> {
  const one = yield query('ONE', 'a');
  const two = yield query('TWO', 'b', 'c');
  return [one, two];
}

describe('a transaction', () => {
  it('runs its statements one by one, and gives its connection back', async () => {
    const { pool, seen } = open();
    expect(await transact(pool, twoSteps)).toEqual([[{ of: 'ONE' }], [{ of: 'TWO' }]]);
    expect(seen).toEqual(['connected', 'BEGIN', ['ONE', 'a'], ['TWO', 'b', 'c'], 'COMMIT', 'released']);
  });

  it('that fails is rolled back', async () => {
    const { pool, seen } = open({ TWO: refused });
    await expect(transact(pool, twoSteps)).rejects.toBe(refused);
    expect(seen.slice(-3)).toEqual([['TWO', 'b', 'c'], 'ROLLBACK', 'released']);
  });

  it('on a connection that is lost is not rolled back, and the connection not used again', async () => {
    const { pool, seen } = open({ TWO: lost });
    await expect(transact(pool, twoSteps)).rejects.toBe(lost);
    expect(seen.slice(-2)).toEqual([
      ['TWO', 'b', 'c'],
      ['released', true],
    ]);
  });

  it('whose commit was not answered may stand: it says so', async () => {
    const { pool, seen } = open({ COMMIT: lost });
    const fault = await transact(pool, twoSteps).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(UncertainCommit);
    expect(fault).toMatchObject({ cause: lost });
    expect(seen.slice(-2)).toEqual(['COMMIT', ['released', true]]);
  });

  it('whose commit was refused does not stand', async () => {
    const { pool, seen } = open({ COMMIT: refused });
    await expect(transact(pool, twoSteps)).rejects.toBe(refused);
    expect(seen.slice(-2)).toEqual(['ROLLBACK', 'released']);
  });

  it('that cannot be rolled back costs its connection', async () => {
    const { pool, seen } = open({ ONE: refused, ROLLBACK: lost });
    await expect(transact(pool, twoSteps)).rejects.toBe(refused);
    expect(seen.slice(-2)).toEqual(['ROLLBACK', ['released', lost]]);
  });
});

describe('a statement on its own', () => {
  it('gives its rows, and its connection back', async () => {
    const { pool, seen } = open();
    expect(await runStatement(pool, query('ONE', 'a'))).toEqual([{ of: 'ONE' }]);
    expect(seen).toEqual(['connected', ['ONE', 'a'], 'released']);
  });

  it.each([
    [refused, false],
    [lost, true],
  ])('is sent once: %o', async (fault, broken) => {
    const { pool, seen } = open({ ONE: fault });
    await expect(runStatement(pool, query('ONE'))).rejects.toBe(fault);
    expect(seen).toEqual(['connected', ['ONE'], ['released', broken]]);
  });

  it('asks again for a connection that is not there yet, and for no other', async () => {
    const { pool, seen } = open({}, [lost]);
    await runStatement(pool, query('ONE'));
    expect(seen).toEqual(['not connected', 'connected', ['ONE'], 'released']);
    const closed = open({}, [refused]);
    await expect(runStatement(closed.pool, query('ONE'))).rejects.toBe(refused);
    expect(closed.seen).toEqual(['not connected']);
  });
});

it('a statement that got no connection surely changed nothing, and its refusal says so', async () => {
  const none = new Error('timeout exceeded when trying to connect');
  const { pool, seen } = open({}, [none]);
  await expect(runStatement(pool, query('ONE'))).rejects.toMatchObject({ code: 'unavailable', uncertain: false, cause: none });
  expect(seen).toEqual(['not connected']);
  // Nobody listens there.
  const store = createStore('postgres://octavo@127.0.0.1:1/octavo');
  const slot = { name: 'create', key: '203.0.113.7', max: 1, windowSeconds: 60 };
  await expect(store.takeRateSlot(slot, 0)).rejects.toMatchObject({
    uncertain: false,
    cause: { code: 'ECONNREFUSED' },
    extras: { detail: 'The database does not work right now. Nothing was changed.' },
  });
  await store.close();
});

it('what is safe to retry is tried three times in all', async () => {
  let tries = 0;
  const attempt = async () => {
    tries += 1;
    throw lost;
  };
  await expect(retry(attempt, error => error === lost)).rejects.toBe(lost);
  expect(tries).toBe(3);
  await expect(retry(attempt, () => false)).rejects.toBe(lost);
  expect(tries).toBe(4);
  expect(
    await retry(
      async () => 'done',
      () => true,
    ),
  ).toBe('done');
});

it('a fixed statement has a name of its own, any other none', () => {
  const [one, again, other] = [query('ONE', 'a'), query('ONE', 'b'), query('OTHER')].map(toQueryConfig);
  expect(one).toEqual({ name: expect.stringMatching(/^[0-9a-f]{40}$/), text: 'ONE', values: ['a'] });
  expect(again?.name).toBe(one?.name);
  expect(other?.name).not.toBe(one?.name);
  expect(toQueryConfig({ ...query('ONE'), isFixed: false })).toEqual({ text: 'ONE', values: [] });
});
