import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import type { Query, Steps } from '../statement.ts';
import type { Connections } from './connection-turns.ts';
import { isBroken, isLostConnection, UncertainCommit } from './postgres-errors.ts';

export async function transact<Result>(connections: Connections, work: () => Steps<Result>): Promise<Result> {
  const client = await connections.connect();
  try {
    await client.query('BEGIN');
    const result = await runSteps(client, work());
    await commit(client);
    client.release();
    return result;
  } catch (error) {
    if (isBroken(error)) client.release(true);
    else await giveUp(client);
    throw error;
  }
}

/**
 * Runs one statement that is its own commit. Connecting may be retried; a statement that was sent may not.
 * @throws DatabaseUnavailable that is certain when no connection could be opened: nothing was sent
 */
export async function runStatement<Row>(connections: Connections, query: Query): Promise<Row[]> {
  const client = await retry(() => connections.connect(), isLostConnection).catch((error: unknown) => {
    throw isBroken(error) ? new DatabaseUnavailable(error) : error;
  });
  return runOn(client, query);
}

/** Runs one statement that changes nothing. */
export async function runQuery<Row>(connections: Connections, query: Query): Promise<Row[]> {
  return runOn(await connections.connect(), query);
}

async function runOn<Row>(client: PoolClient, query: Query): Promise<Row[]> {
  try {
    const { rows } = await client.query(toQueryConfig(query));
    client.release();
    return rows as Row[];
  } catch (error) {
    client.release(isBroken(error));
    throw error;
  }
}

async function commit(client: PoolClient): Promise<void> {
  try {
    await client.query('COMMIT');
  } catch (error) {
    throw isBroken(error) ? new UncertainCommit(error) : error;
  }
}

/** A connection that cannot even roll back does not go back to the pool. */
async function giveUp(client: PoolClient): Promise<void> {
  try {
    await client.query('ROLLBACK');
    client.release();
  } catch (error) {
    client.release(error as Error);
  }
}

async function runSteps<Result>(client: PoolClient, steps: Steps<Result>): Promise<Result> {
  let step = steps.next();
  while (!step.done) step = steps.next((await client.query(toQueryConfig(step.value))).rows);
  return step.value;
}

/** Tries three times in all. */
export async function retry<Result>(attempt: () => Promise<Result>, isSafe: (error: unknown) => boolean): Promise<Result> {
  for (const waitMillis of [20, 200]) {
    try {
      return await attempt();
    } catch (error) {
      if (!isSafe(error)) throw error;
      await sleep(waitMillis);
    }
  }
  return attempt();
}

const names = new Map<string, string>();

/** A fixed statement gets a name, so that each connection parses and plans it once. */
export function toQueryConfig({ sql, values, isFixed }: Query): { name?: string; text: string; values: unknown[] } {
  const query = { text: sql, values: [...values] };
  return isFixed ? { ...query, name: nameOf(sql) } : query;
}

function nameOf(sql: string): string {
  const name = names.get(sql) ?? createHash('sha1').update(sql).digest('hex');
  names.set(sql, name);
  return name;
}
