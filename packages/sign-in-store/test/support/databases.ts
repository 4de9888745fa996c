import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

/** A fresh, empty database of each engine; the caller disposes of it. */
export interface TestDatabase extends AsyncDisposable {
  readonly address: string;
}

export async function sqliteDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'octavo-sign-in-store-'));
  return {
    address: `sqlite:${join(folder, 'store.db')}`,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function postgresDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await query(serverUrl, `CREATE DATABASE ${name}`);
  const address = new URL(serverUrl);
  address.pathname = `/${name}`;
  return {
    address: address.href,
    [Symbol.asyncDispose]: () => query(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

async function query(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
