import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Checkpoints, pagesBeforeOwnCheckpoint, pagesBeforeRestart } from '../../src/store/sqlite/sqlite-checkpoints.ts';
import { sqlite } from '../support/engines.ts';
import { make } from './contract/subject.ts';
import { type OpenSubject, openSubject } from './open-subject.ts';

let subject: OpenSubject;
beforeAll(async () => {
  subject = await openSubject(sqlite);
});
afterAll(() => subject.close());

it('brings the log of SQLite into its file in a thread, long before a commit has to', async () => {
  const bytes = 6_000_000;
  expect(bytes).toBeLessThan((pagesBeforeOwnCheckpoint * 4_096) / 4);
  const path = subject.url.slice('sqlite:'.length);
  expect(statSync(path).size).toBeLessThan(bytes);
  await make(
    subject.store,
    {},
    Array.from({ length: 6 }, () => 'x'.repeat(bytes / 6)),
  );
  await expect.poll(() => statSync(path).size, { timeout: 20_000 }).toBeGreaterThan(bytes);
});

it('begins a long log again in that thread, so that no writer waits for the disk', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'octavo-checkpoints-')), 'one.db');
  const database = new DatabaseSync(path);
  const checkpoints = new Checkpoints(path);
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE texts (text TEXT)');
    // The checkpoint sequence number of the log's header (https://sqlite.org/fileformat2.html#walformat): one more at each new beginning.
    const begun = () => readFileSync(`${path}-wal`).readUInt32BE(12);
    const before = begun();
    const text = 'x'.repeat(pagesBeforeRestart * 4_096);
    database.prepare('INSERT INTO texts VALUES (?)').run(text);
    checkpoints.count({ sql: 'insert', values: [text], isFixed: true });
    // Nothing is written any more but by the thread.
    await expect.poll(begun, { timeout: 20_000 }).toBe(before + 1);
    expect(database.prepare('SELECT length(text) AS length FROM texts').get()).toEqual({ length: text.length });
  } finally {
    await checkpoints.close();
    database.close();
    rmSync(dirname(path), { recursive: true });
  }
});
