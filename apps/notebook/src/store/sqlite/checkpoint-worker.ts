import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointData } from './sqlite-checkpoints.ts';

// The program of a thread that brings the write-ahead log into the database file.

const { path } = workerData as CheckpointData;
let database: DatabaseSync | undefined;

/** Passive: nobody who writes or reads waits for it. What fails here (a full disk, a file in use) is tried again after the next writes. */
function checkpoint(): void {
  try {
    database ??= new DatabaseSync(path);
    database.exec('PRAGMA synchronous = FULL');
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch {}
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
