import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Migration } from '../../src/store/migrate.ts';
import { migratePostgres } from '../../src/store/postgres/postgres-migrate.ts';
import { postgres } from '../support/engines.ts';

const migration = (name: string, sql: string): Migration => ({ name, sql, sha256: name });
const first = migration('0001-notes', "CREATE TABLE notes (text text); INSERT INTO notes VALUES ('kept')");
const second = migration('0002-dates', 'ALTER TABLE notes ADD COLUMN written date');
const timing = { lockMillis: 100, pauseMillis: 50, tries: 100 };

describe('migrations of a PostgreSQL that others use', () => {
  let url: string;
  let user: Client;
  beforeEach(async () => {
    ({ url } = await postgres.createDatabase());
    await migratePostgres(url, [first], timing);
    user = new Client({ connectionString: url });
    await user.connect();
    // As a report or a dump that takes hours.
    await user.query('BEGIN');
    await user.query('SELECT * FROM notes');
  });
  afterEach(() => user.end());

  it('wait for a table without keeping readers of it waiting, and are applied once it is free', async () => {
    const other = new Client({ connectionString: url, statement_timeout: 5_000 });
    await other.connect();
    let applied = false;
    const migrating = migratePostgres(url, [first, second], timing).then(() => {
      applied = true;
    });
    const waits = async () =>
      (await user.query("SELECT FROM pg_locks WHERE NOT granted AND relation = 'notes'::regclass")).rowCount === 1;
    await expect.poll(waits).toBe(true);
    // A reader that comes after the migration stands behind it in line.
    expect((await other.query('SELECT text FROM notes')).rows).toEqual([{ text: 'kept' }]);
    expect(applied).toBe(false);
    await user.query('COMMIT');
    await migrating;
    expect((await other.query('SELECT * FROM notes')).rows).toEqual([{ text: 'kept', written: null }]);
    await other.end();
  });

  it('leave everything as it was when it never is, and say why', async () => {
    const migrating = migratePostgres(
      url,
      [first, migration('0002-more', 'CREATE TABLE more (text text)'), { ...second, name: '0003-dates' }],
      {
        ...timing,
        tries: 2,
      },
    );
    await expect(migrating).rejects.toThrow('waits for a table that something else uses all the time');
    const { rows } = await user.query("SELECT to_regclass('more') AS more, (SELECT count(*)::int FROM migrations) AS applied");
    expect(rows).toEqual([{ more: null, applied: 1 }]);
  });

  it('fail at once over anything else', async () => {
    const broken = migration('0002-broken', 'SELECT not_there FROM notes');
    await expect(migratePostgres(url, [first, broken], timing)).rejects.toThrow(
      'Migration 0002-broken cannot be applied, and nothing was changed: column "not_there" does not exist.',
    );
  });

  it('say what helps when an older dump was restored over what a newer version had made', async () => {
    await user.query(
      'CREATE TABLE later (text text); CREATE FUNCTION later() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$; COMMIT',
    );
    for (const sql of [
      'CREATE TABLE later (text text)',
      'CREATE FUNCTION later() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
      'ALTER TABLE later ADD COLUMN text text',
    ])
      await expect(migratePostgres(url, [first, migration('0002-later', sql)], timing)).rejects.toThrow(
        'A dump must be restored into an empty database.',
      );
  });
});
