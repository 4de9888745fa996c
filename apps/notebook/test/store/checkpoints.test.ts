import { readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pagesBeforeOwnCheckpoint, pagesBeforeRestart } from '../../src/store/sqlite/sqlite-checkpoints.ts';
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
  const pages = Math.ceil((pagesBeforeRestart * 4_096 * 1.5) / 1_000_000);
  const path = subject.url.slice('sqlite:'.length);
  // The checkpoint sequence number of the log's header (https://sqlite.org/fileformat2.html#walformat): one more at each new beginning.
  const begun = () => readFileSync(`${path}-wal`).readUInt32BE(12);
  const before = begun();
  // One transaction: after it nothing is written but by the thread.
  await make(
    subject.store,
    {},
    Array.from({ length: pages }, () => 'x'.repeat(1_000_000)),
  );
  await expect.poll(begun, { timeout: 20_000 }).toBeGreaterThan(before);
});
