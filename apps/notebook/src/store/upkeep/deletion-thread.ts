import type { Owner } from '../../model/rights.ts';
import { findOwnProgram } from '../../own-program.ts';
import type { Engine } from '../engine.ts';
import { limited } from '../kept/limited.ts';
import type { RateSlot } from '../kept/rate-slot.ts';
import { deleteNotebookInPortions } from '../notebooks/delete-in-portions.ts';
import { deletePage } from '../pages/write-pages.ts';
import { sqliteFault } from '../sqlite/sqlite-errors.ts';
import type { Budget, Statements } from '../statements.ts';
import type { DeletePageResult } from '../store.ts';
import { StoreThread } from '../store-thread.ts';
import type { DeletedExpired, PurgeDue } from '../upkeep.ts';
import { deleteExpired, purgeNotebooks } from './write-purge.ts';

interface Portion {
  readonly due: PurgeDue;
  readonly limit: number;
}

export interface NotebookDeletion {
  readonly by: Owner;
  readonly slugFreeAt: number;
}

export interface PageDeletion {
  readonly by: Owner;
  readonly page: string;
  readonly now: number;
  readonly expectedRevision: number | undefined;
  readonly slot: RateSlot | undefined;
}

export type DeletionOrder =
  | ({ readonly kind: 'notebook' } & NotebookDeletion)
  | ({ readonly kind: 'page' } & PageDeletion)
  | ({ readonly kind: 'purge'; readonly slugFreeAt: number } & Portion)
  | ({ readonly kind: 'expired'; readonly now: number } & Portion);

export interface DeletionWorkerData {
  /** The path of SQLite's database. */
  readonly path: string;
  readonly budget: Budget;
}

export interface Deleter {
  /** False where it is gone, or somebody else's by now. */
  notebook(deletion: NotebookDeletion): Promise<boolean>;
  page(deletion: PageDeletion): Promise<DeletePageResult>;
  purge(due: PurgeDue, slugFreeAt: number, limit: number): Promise<{ expired: number; burned: number }>;
  expired(due: PurgeDue, now: number, limit: number): Promise<DeletedExpired>;
  close(): Promise<void>;
}

/** SQLite writes zeros over what it deletes: a mebibyte takes some 10 milliseconds, and starting the thread 50. */
const heavyBytes = 262_144;

/**
 * What is over, and what an owner deletes. Of an embedded database that is a thread's work, on a connection of its own, where it takes
 * long: whoever reads meanwhile would wait for it. A server's work holds nobody's event loop.
 */
export function createDeleter(engine: Engine, statements: Statements): Deleter {
  const here = deleteHere(engine, statements);
  return engine.file === undefined ? here : deleteInThread(engine, engine.file, statements, here);
}

export function deleteHere(engine: Engine, statements: Statements): Deleter {
  return {
    notebook: ({ by, slugFreeAt }) => deleteNotebookInPortions(engine, statements, by, slugFreeAt),
    page: ({ by, page, now, expectedRevision, slot }) =>
      engine.write(() => limited(statements.kept, slot, now, () => deletePage(statements, by, page, now, expectedRevision))),
    purge: (due, slugFreeAt, limit) => engine.write(() => purgeNotebooks(statements, due, slugFreeAt, limit)),
    expired: (due, now, limit) => engine.write(() => deleteExpired(statements, due, now, limit)),
    close: async () => {},
  };
}

function deleteInThread(engine: Engine, path: string, { budget, sizes }: Statements, here: Deleter): Deleter {
  const data: DeletionWorkerData = { path, budget };
  const thread = new StoreThread<DeletionOrder>({
    url: findOwnProgram('deletion-worker', import.meta.url),
    name: 'The deletion thread',
    data,
  });
  async function ask<Result>(order: DeletionOrder): Promise<Result> {
    try {
      return (await thread.ask(order)) as Result;
    } catch (error) {
      throw sqliteFault(error);
    }
  }
  const isHeavy = ([row]: readonly { bytes: number }[]) => (row?.bytes ?? 0) > heavyBytes;
  return {
    async notebook(deletion) {
      const bytes = await engine.read(sizes.ofNotebook, { notebook: deletion.by.notebookId });
      return isHeavy(bytes) ? ask({ kind: 'notebook', ...deletion }) : here.notebook(deletion);
    },
    async page(deletion) {
      const bytes = await engine.read(sizes.ofPage, { page: deletion.page });
      return isHeavy(bytes) ? ask({ kind: 'page', ...deletion }) : here.page(deletion);
    },
    purge: (due, slugFreeAt, limit) => ask({ kind: 'purge', due, slugFreeAt, limit }),
    expired: (due, now, limit) => ask({ kind: 'expired', due, now, limit }),
    close: () => thread.close(),
  };
}
