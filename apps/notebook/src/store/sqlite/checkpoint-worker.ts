import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type CheckpointData, pagesBeforeRestart } from './sqlite-checkpoints.ts';

// The program of a thread that brings the write-ahead log into the database file.

const { path } = workerData as CheckpointData;
let database: DatabaseSync | undefined;

/** For a lock. Whoever else reads or writes is not kept for longer. */
const busyMillis = 50;

/**
 * Passive at first: nobody who writes or reads waits for it. While writes never pause the log only grows, so when it is long, the few pages
 * that came meanwhile are brought over with writers kept away. What fails here (a full disk, a file in use) is tried again after the next
 * writes.
 */
function checkpoint(): void {
  try {
    database ??= open();
    const { log } = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as { log: number };
    if (log < pagesBeforeRestart) return;
    const { busy } = database.prepare('PRAGMA wal_checkpoint(RESTART)').get() as { busy: number };
    if (busy === 0) beginLog(database);
  } catch {}
}

function open(): DatabaseSync {
  const opened = new DatabaseSync(path, { timeout: busyMillis });
  // SQLite's own checkpoints happen where it writes; here they are asked for.
  opened.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
  return opened;
}

/** Whoever writes first into a log that begins again waits for the disk, so that is done here: with a write that changes nothing. */
function beginLog(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
    database.exec(`PRAGMA user_version = ${version}`);
    database.exec('COMMIT');
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

parentPort?.on('message', (order: 'checkpoint' | 'end') => {
  if (order === 'end') {
    database?.close();
    parentPort?.close();
    return;
  }
  checkpoint();
  parentPort?.postMessage('done');
});
