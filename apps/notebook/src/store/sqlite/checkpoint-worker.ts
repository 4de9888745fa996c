import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type CheckpointData, pagesBeforeRestart } from './sqlite-checkpoints.ts';

// The program of a thread that copies the write-ahead log into the database file.

const { path } = workerData as CheckpointData;
let database: DatabaseSync | undefined;

/** The wait for a lock. Other readers and writers are held up no longer than this. */
const busyMillis = 50;

/**
 * Runs a passive checkpoint first, for which no reader or writer waits. While writes never pause, the log only grows; so when it is long,
 * the few pages that were added meanwhile are copied while writers wait. A failure (a full disk, a file in use) is retried after the next
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
  // SQLite's own checkpoints run on the connection that writes; this connection runs them on request.
  opened.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
  return opened;
}

/** The first write into a restarted log waits for the disk, so it is done here, with a write that changes nothing. */
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
