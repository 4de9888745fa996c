import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test, vi } from 'vitest';
import { openStore } from '../src/index.ts';
import { storeContract } from './contract/store.contract.ts';
import { sqliteDatabase } from './support/databases.ts';

describe('SQLite', () => {
  storeContract(sqliteDatabase);

  test('keeps claims and sessions over a restart', async () => {
    await using database = await sqliteDatabase();
    const id = 'a-session-id-of-some-length';
    const first = await openStore(database.address);
    await first.replay.claim('k', new Date(Date.now() + 60_000));
    const soon = new Date(Date.now() + 60_000);
    await first.createSession({
      id,
      issuer: 'i',
      subject: 's',
      signedInAt: new Date(),
      idleSeconds: 60,
      expiresAt: soon,
      value: '',
    });
    await first.close();
    const second = await openStore(database.address);
    expect(await second.replay.claim('k', soon)).toBe(false);
    expect(await second.findSession(id)).toMatchObject({ subject: 's' });
    await second.close();
  });

  test('knows a session that was just found without another query, until a write', async () => {
    await using database = await sqliteDatabase();
    const [store, other] = [await openStore(database.address), await openStore(database.address)];
    const id = 'a-session-id-of-some-length';
    const expiresAt = new Date(Date.now() + 3_600_000);
    await store.createSession({ id, issuer: 'i', subject: 's', signedInAt: new Date(), idleSeconds: 3600, expiresAt, value: '' });
    const found = await store.findSession(id);
    expect(store.recallSession(id)).toBe(found);
    await other.replay.claim('k', expiresAt);
    await new Promise(resolve => setImmediate(resolve));
    expect(store.recallSession(id)).toBeUndefined();
    for (const one of [store, other]) await one.close();
    await new Promise(resolve => setImmediate(resolve));
    expect(() => store.recallSession(id)).toThrow(expect.objectContaining({ code: 'STORE_UNAVAILABLE' }));
  });

  test('notices its own writes after millions of writes by other processes', async () => {
    const { prepare } = DatabaseSync.prototype;
    const version = { get: () => ({ data_version: 2 ** 21 + 1 }) };
    using _late = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, text) {
      return text === 'PRAGMA data_version' ? (version as never) : prepare.call(this, text);
    });
    await using database = await sqliteDatabase();
    const store = await openStore(database.address);
    const expiresAt = new Date(Date.now() + 3_600_000);
    for (let turn = 0; turn < 4; turn += 1) {
      const id = `a-session-id-of-some-length-${turn}`;
      await store.createSession({
        id,
        issuer: 'i',
        subject: 's',
        signedInAt: new Date(),
        idleSeconds: 3600,
        expiresAt,
        value: '',
      });
      expect(await store.findSession(id)).toBeDefined();
      await store.endSession(id);
      expect([store.recallSession(id), await store.findSession(id)]).toEqual([undefined, undefined]);
    }
    await store.close();
  });

  test('flushes each write to the disk: after a power cut, a claim that was granted is not granted again', async () => {
    const { exec } = DatabaseSync.prototype;
    const opened = new Set<DatabaseSync>();
    using _seen = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, text) {
      opened.add(this);
      exec.call(this, text);
    });
    await using database = await sqliteDatabase();
    const store = await openStore(database.address);
    const [connection] = opened;
    // 2 is FULL, 3 is EXTRA.
    expect(Number(connection?.prepare('PRAGMA synchronous').get()?.synchronous)).toBeGreaterThanOrEqual(2);
    await store.close();
  });

  test('what ended leaves no bytes in the file', async () => {
    await using database = await sqliteDatabase();
    const store = await openStore(database.address);
    const [id, value] = ['a-session-id-of-some-length', 'sealed'.repeat(100)];
    const expiresAt = new Date(Date.now() + 60_000);
    await store.createSession({ id, issuer: 'i', subject: 's', signedInAt: new Date(), idleSeconds: 60, expiresAt, value });
    const path = database.address.slice('sqlite:'.length);
    const held = new DatabaseSync(path);
    held.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    expect((await readFile(path)).includes('sealedsealed')).toBe(true);
    await store.endSession(id);
    held.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    expect((await readFile(path)).includes('sealedsealed')).toBe(false);
    held.close();
    await store.close();
  });

  test('refuses a file that a newer version of the package has set up, and leaves it as it is', async () => {
    await using database = await sqliteDatabase();
    await (await openStore(database.address)).close();
    const file = new DatabaseSync(database.address.slice('sqlite:'.length));
    file.exec('INSERT INTO sign_in_schema (step) VALUES (99)');
    await expect(openStore(database.address)).rejects.toMatchObject({ code: 'STORE_NEWER', status: 500 });
    expect(file.prepare('SELECT max(step) AS step FROM sign_in_schema').get()).toEqual({ step: 99 });
    file.close();
  });

  test('reports a file that is not a database as an outage with its reason', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'octavo-sign-in-store-'));
    const path = join(folder, 'store.db');
    await writeFile(path, 'this is not a database, it is a text that is long enough'.repeat(100));
    await expect(openStore(`sqlite:${path}`)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: /not a database/ });
    await rm(folder, { recursive: true });
  });

  test('reports a folder that cannot be created as an outage', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'octavo-sign-in-store-'));
    await writeFile(join(folder, 'file'), '');
    await expect(openStore(`sqlite:${join(folder, 'file', 'store.db')}`)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await rm(folder, { recursive: true });
  });

  test.each(['', 'sqlite:', 'mysql://x', 'store.db'])('refuses the address %j without repeating it', async address => {
    await expect(openStore(address)).rejects.toMatchObject({ code: 'STORE_URL' });
  });
});
