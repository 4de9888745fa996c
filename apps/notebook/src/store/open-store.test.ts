import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { make, newId, noon } from '../../test/store/contract/subject.ts';
import { createStore, findSqlitePath } from './open-store.ts';

describe('createStore', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'octavo-open-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('makes the folder of an embedded database', async () => {
    const path = join(folder, 'not', 'there', 'octavo.db');
    const store = createStore(`sqlite:${path}`);
    await store.migrate();
    await store.ping();
    await store.close();
    expect(existsSync(path)).toBe(true);
  });

  it('keeps a database in memory for as long as it is open', async () => {
    const store = createStore('sqlite::memory:');
    await store.migrate();
    expect(await store.getSecret('name', () => 'value')).toBe('value');
    await store.ping();
    await store.close();
    await expect(store.ping()).rejects.toThrow();
  });

  it.each(['postgres://user@host/name', 'postgresql://host/n', 'postgres:///name?host=/var/run/postgresql'])(
    'takes %s, and connects to nothing yet',
    async url => {
      const store = createStore(url);
      await store.close();
      expect(findSqlitePath(url)).toBeUndefined();
    },
  );

  it('knows the file of an embedded database', () => {
    expect(findSqlitePath('sqlite:data/octavo.db')).toBe('data/octavo.db');
    expect(() => findSqlitePath('sqlite:')).toThrow('must name a file');
  });

  it('keeps notebooks to the room that this server gives them', async () => {
    const store = createStore('sqlite::memory:', { maxNotebookBytes: 10 });
    await store.migrate();
    const { owner } = await make(store, {}, ['12345']);
    const page = (markdown: string) => ({ id: newId(), givenTitle: '', heading: '', markdown });
    expect(await store.addPage(owner, page('123456'), undefined, noon)).toEqual({ kind: 'notebook_too_large', maxBytes: 10 });
    expect(await store.addPage(owner, page('1234'), undefined, noon)).toMatchObject({ kind: 'added' });
    await store.close();
  });

  it.each([
    ['', 'must be sqlite:PATH or postgres://'],
    ['octavo.db', 'must be sqlite:PATH or postgres://'],
    ['mysql://host/name', 'must be sqlite:PATH or postgres://'],
    ['notpostgres://host/name', 'must be sqlite:PATH or postgres://'],
    ['sqlite:', 'must name a file'],
    ['sqlite://host/octavo.db', 'must name a file'],
    ['postgres://', 'must name a host and a database'],
    ['postgres://hidden@host', 'must name a host and a database'],
    ['postgres://u:hidden@ho st/name', 'must name a host and a database'],
  ])('refuses %s and says what is wrong, without repeating it', (url, message) => {
    expect(() => createStore(url)).toThrow(message);
    expect(() => createStore(url)).not.toThrow(/hidden/);
  });

  it('refuses a database whose migration file was changed, and leaves it as it is', async () => {
    const migrationsFolder = join(folder, 'migrations');
    await mkdir(join(migrationsFolder, 'sqlite'), { recursive: true });
    const write = (name: string, sql: string) => writeFile(join(migrationsFolder, 'sqlite', name), sql);
    const start = async () => {
      const store = createStore(`sqlite:${join(folder, 'octavo.db')}`, { migrationsFolder });
      await store.migrate().finally(() => store.close());
    };
    await write('0001-a.sql', 'CREATE TABLE a (b INTEGER)');
    await start();
    await write('0001-a.sql', 'CREATE TABLE a (b TEXT)');
    await expect(start()).rejects.toThrow('Migration 0001-a.sql was changed');
    await write('0001-a.sql', 'CREATE TABLE a (b INTEGER)');
    await write('0002-broken.sql', 'CREATE TABLE c (d INTEGER); CREATE TABLE a (b INTEGER)');
    await expect(start()).rejects.toThrow('table a already exists');
    // The broken migration is rolled back as a whole: the corrected file applies.
    await write('0002-broken.sql', 'CREATE TABLE c (d INTEGER)');
    await start();
  });
});
