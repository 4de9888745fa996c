import { existsSync } from 'node:fs';
import { type Config, readConfig } from '../config.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { createS3Store } from '../objects/s3.ts';
import { createStore, findSqlitePath } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { CannotDo, type Terminal } from './command.ts';

/** What commands work with: the operations' parts that need no server. */
export interface StoreParts {
  readonly store: Store;
  readonly objects: ObjectStore | undefined;
  readonly now: () => number;
  readonly config: Config;
}

/**
 * Opens the database of the configuration for one piece of work.
 * @throws CannotDo when an embedded database is not there: a new one in a wrong folder would help nobody
 */
export async function withStore<Result>(terminal: Terminal, work: (parts: StoreParts) => Promise<Result>): Promise<Result> {
  const config = readConfig(terminal.env);
  const path = findSqlitePath(config.databaseUrl);
  if (path !== undefined && !existsSync(path)) throw new CannotDo(noDatabase(path));
  const store = createStore(config.databaseUrl, { poolSize: 2, maxNotebookBytes: config.maxNotebookBytes });
  try {
    await store.migrate();
    const objects = config.images.kind === 'on' ? createS3Store(config.images.store) : undefined;
    return await work({ store, objects, now: Date.now, config });
  } finally {
    await store.close();
  }
}

export function noDatabase(path: string): string {
  return `There is no database at ${path}. Is DATABASE_URL set, and is this the folder that the service runs in?`;
}
