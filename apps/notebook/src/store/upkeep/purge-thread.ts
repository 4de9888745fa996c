import { findOwnProgram } from '../../own-program.ts';
import type { Engine } from '../engine.ts';
import { sqliteFault } from '../sqlite/sqlite-errors.ts';
import type { Budget, Statements } from '../statements.ts';
import { StoreThread } from '../store-thread.ts';
import type { DeletedExpired, PurgeDue } from '../upkeep.ts';
import { deleteExpired, purgeNotebooks } from './write-purge.ts';

interface Portion {
  readonly due: PurgeDue;
  readonly limit: number;
}

export type PurgeOrder =
  | ({ readonly kind: 'notebooks'; readonly slugFreeAt: number } & Portion)
  | ({ readonly kind: 'others'; readonly now: number } & Portion);

export interface PurgeWorkerData {
  /** The path of SQLite's database. */
  readonly path: string;
  readonly budget: Budget;
}

export interface Purger {
  notebooks(due: PurgeDue, slugFreeAt: number, limit: number): Promise<{ expired: number; burned: number }>;
  others(due: PurgeDue, now: number, limit: number): Promise<DeletedExpired>;
  close(): Promise<void>;
}

/**
 * Deletes what is over. Of an embedded database that is a thread's work, on a connection of its own: a portion takes as long as some 25
 * milliseconds, and whoever reads meanwhile would wait for it. A server's portions hold nobody's event loop.
 */
export function createPurger(engine: Engine, statements: Statements): Purger {
  return engine.file === undefined ? purgeHere(engine, statements) : purgeInThread(engine.file, statements.budget);
}

export function purgeHere(engine: Engine, statements: Statements): Purger {
  return {
    notebooks: (due, slugFreeAt, limit) => engine.write(() => purgeNotebooks(statements, due, slugFreeAt, limit)),
    others: (due, now, limit) => engine.write(() => deleteExpired(statements, due, now, limit)),
    close: async () => {},
  };
}

function purgeInThread(path: string, budget: Budget): Purger {
  const data: PurgeWorkerData = { path, budget };
  const thread = new StoreThread<PurgeOrder>({
    url: findOwnProgram('purge-worker', import.meta.url),
    name: 'The purge thread',
    data,
  });
  async function ask<Result>(order: PurgeOrder): Promise<Result> {
    try {
      return (await thread.ask(order)) as Result;
    } catch (error) {
      throw sqliteFault(error);
    }
  }
  return {
    notebooks: (due, slugFreeAt, limit) => ask({ kind: 'notebooks', due, slugFreeAt, limit }),
    others: (due, now, limit) => ask({ kind: 'others', due, now, limit }),
    close: () => thread.close(),
  };
}
