import { createServer } from 'node:net';
import { describe, expect, inject, test } from 'vitest';
import { openStore } from '../src/index.ts';
import { storeContract } from './contract/store.contract.ts';
import { postgresDatabase } from './support/databases.ts';

describe('PostgreSQL', () => {
  storeContract(() => postgresDatabase(inject('postgresUrl')));

  test('lets four processes create the tables at once', async () => {
    await using database = await postgresDatabase(inject('postgresUrl'));
    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore(database.address)));
    for (const store of stores) await store.ping();
    for (const store of stores) await store.close();
  });

  test('reports a refused connection as an outage, without the password', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await new Promise(resolve => server.close(resolve));
    const error = await openStore(`postgres://gate:hush-hush@127.0.0.1:${port}/gate`).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', status: 503 });
    expect(String(error)).not.toContain('hush-hush');
  });

  test('replaces connections that the server ends', async () => {
    await using database = await postgresDatabase(inject('postgresUrl'));
    const store = await openStore(database.address);
    const { Client } = await import('pg');
    const client = new Client({ connectionString: inject('postgresUrl') });
    await client.connect();
    const name = new URL(database.address).pathname.slice(1);
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    await client.end();
    await expect
      .poll(() =>
        store.ping().then(
          () => 'up',
          () => 'down',
        ),
      )
      .toBe('up');
    expect(await store.replay.claim('after', new Date(Date.now() + 1000))).toBe(true);
    await store.close();
  });
});
