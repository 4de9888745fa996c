import { readConfig } from './config.ts';
import { createStore, findSqlitePath } from './store/open-store.ts';
import { appendEnding } from './store/upkeep/text-ending-file.ts';
import type { Recorder } from './watchdog/watch.ts';

/**
 * Loaded by the watching thread when the process is about to be ended over a text. The transaction that hangs may hold SQLite, so there the
 * record is a file beside the database, which the next start reads; PostgreSQL gets it at once.
 */
export const recordEnding: Recorder['recordEnding'] = async ending => {
  const { databaseUrl } = readConfig(process.env);
  const path = findSqlitePath(databaseUrl);
  if (path !== undefined) {
    appendEnding(path, ending);
    return;
  }
  await createStore(databaseUrl, { poolSize: 1 }).noteTextEnding(ending);
};
