import { existsSync } from 'node:fs';
import { type Config, readConfig } from '../config.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { openObjects } from '../objects/open-objects.ts';
import { createStore, findSqlitePath } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { urls } from '../urls.ts';
import { CommandFailed, type Terminal } from './command.ts';

/** The parts that commands work with: those of the operations that need no server. */
export interface StoreParts {
  readonly store: Store;
  readonly objects: ObjectStore | undefined;
  readonly now: () => number;
  readonly config: Config;
}

/**
 * Opens the configured database for one piece of work.
 * @throws CommandFailed when an embedded database does not exist: a new one in the wrong folder would help nobody
 */
export async function withStore<Result>(terminal: Terminal, work: (parts: StoreParts) => Promise<Result>): Promise<Result> {
  const config = readConfig(terminal.env);
  const path = findSqlitePath(config.databaseUrl);
  if (path !== undefined && !existsSync(path)) throw new CommandFailed(noDatabase(path));
  const { images } = config;
  // A folder made by a command would belong to the user who ran it, who may not be the service's account.
  if (images.kind === 'folder' && !existsSync(images.folder)) throw new CommandFailed(noFolder(images.folder));
  const store = createStore(config.databaseUrl, { poolSize: 2, maxNotebookBytes: config.maxNotebookBytes });
  try {
    await store.migrate();
    const objects = await openObjects(config.images, key => config.publicUrl + urls.imageFile(key));
    return await work({ store, objects, now: Date.now, config });
  } finally {
    await store.close();
  }
}

function noFolder(path: string): string {
  return `There is no folder at ${path}. Is IMAGE_FOLDER right, and is this the folder that the service runs in?`;
}

export function noDatabase(path: string): string {
  return `There is no database at ${path}. Is DATABASE_URL set, and is this the folder that the service runs in?`;
}
