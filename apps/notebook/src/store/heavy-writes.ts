import type { Notebook, PageToKeep } from '../model/notebook.ts';
import type { Owner } from '../model/rights.ts';
import { findOwnProgram } from '../own-program.ts';
import { DatabaseUnavailable } from './database-unavailable.ts';
import type { Engine } from './engine.ts';
import { limited } from './kept/limited.ts';
import type { RateSlot } from './kept/rate-slot.ts';
import { deleteNotebookInPortions } from './notebooks/delete-in-portions.ts';
import { createNotebook } from './notebooks/write-notebook.ts';
import { memoryOf, type PackedPage, packPages } from './packed-pages.ts';
import { deletePage } from './pages/write-pages.ts';
import { passOnLostLog } from './sqlite/sqlite.ts';
import { sqliteFault } from './sqlite/sqlite-errors.ts';
import type { Budget, Statements } from './statements.ts';
import type { DeletePageResult } from './store.ts';
import { type Failed, StoreThread } from './store-thread.ts';
import { deleteExpired, purgeNotebooks } from './upkeep/write-purge.ts';
import type { DeletedExpired, PurgeDue, Purged } from './upkeep.ts';

interface PageDeletion {
  readonly by: Owner;
  readonly page: string;
  readonly now: number;
  readonly expectedRevision: number | undefined;
  readonly slot: RateSlot | undefined;
}

/** Writes that may take long. */
export interface HeavyWrites {
  createNotebook(notebook: Notebook, pages: readonly PageToKeep[]): Promise<'created' | 'slug_taken'>;
  /** False where it is gone, or somebody else's by now. */
  deleteNotebook(by: Owner, slugFreeAt: number): Promise<boolean>;
  deletePage(deletion: PageDeletion): Promise<DeletePageResult>;
  purgeNotebooks(due: PurgeDue, slugFreeAt: number, limit: number): Promise<Purged>;
  deleteExpired(due: PurgeDue, now: number, limit: number): Promise<DeletedExpired>;
}

/** What the thread is given for each of them. */
interface Given extends Record<keyof HeavyWrites, readonly unknown[]> {
  readonly createNotebook: readonly [notebook: Notebook, pages: readonly PackedPage[]];
  readonly deleteNotebook: Parameters<HeavyWrites['deleteNotebook']>;
  readonly deletePage: Parameters<HeavyWrites['deletePage']>;
  readonly purgeNotebooks: Parameters<HeavyWrites['purgeNotebooks']>;
  readonly deleteExpired: Parameters<HeavyWrites['deleteExpired']>;
}

type OrderOf<Name extends keyof HeavyWrites> = { readonly name: Name; readonly given: Given[Name] };
/** A call of one of them. */
export type HeavyWrite = { [Name in keyof HeavyWrites]: OrderOf<Name> }[keyof HeavyWrites];

export interface HeavyWriteWorkerData {
  /** The path of SQLite's database. */
  readonly path: string;
  readonly budget: Budget;
  /** On Linux: how much the thread stands back. */
  readonly niceness: number;
}

/** SQLite writes a mebibyte, or zeros over one that is deleted, in some 10 milliseconds; starting the thread takes 50. */
const heavyBytes = 262_144;

/**
 * Of an embedded database they are a thread's work, on a connection of its own, where they take long: whoever reads meanwhile would wait
 * for them. A server's work holds nobody's event loop.
 */
export function createHeavyWrites(engine: Engine, statements: Statements): HeavyWrites & { close(): Promise<void> } {
  const here = writeHere(engine, statements);
  return engine.file === undefined ? { ...here, close: async () => {} } : writeInThread(engine, engine.file, statements, here);
}

export function writeHere(engine: Engine, statements: Statements): HeavyWrites {
  const { kept } = statements;
  return {
    createNotebook: (notebook, pages) => engine.write(() => createNotebook(statements, notebook, pages)),
    deleteNotebook: (by, slugFreeAt) => deleteNotebookInPortions(engine, statements, by, slugFreeAt),
    deletePage: ({ by, page, now, expectedRevision, slot }) =>
      engine.write(() => limited(kept, slot, now, () => deletePage(statements, by, page, now, expectedRevision))),
    purgeNotebooks: (due, slugFreeAt, limit) => purgeNotebooks(engine, statements, due, slugFreeAt, limit),
    deleteExpired: (due, now, limit) => engine.write(() => deleteExpired(statements, due, now, limit)),
  };
}

/** Of what a thread did not do. */
function faultOf(error: unknown): unknown {
  // It is gone, or was given up: what it had begun it may have done.
  if (error instanceof DatabaseUnavailable) return new DatabaseUnavailable(error.cause, true);
  const { uncertain } = error as Failed;
  return uncertain === undefined ? sqliteFault(error) : new DatabaseUnavailable(error, uncertain);
}

function writeInThread(engine: Engine, path: string, { budget, sizes }: Statements, here: HeavyWrites) {
  const start = (name: string, niceness: number) => {
    const data: HeavyWriteWorkerData = { path, budget, niceness };
    const url = findOwnProgram('heavy-write-worker', import.meta.url);
    return new StoreThread<HeavyWrite>({ url, name, data, onError: passOnLostLog });
  };
  // An owner waits for what he writes, and others for the lock that it holds; readers come before both.
  const threads = { owners: start('The thread of large writes', 5), purge: start('The thread of the purge', 10) };
  async function ask<Name extends keyof HeavyWrites>(
    thread: StoreThread<HeavyWrite>,
    { name, given }: OrderOf<Name>,
    memory: readonly ArrayBuffer[] = [],
  ): Promise<Awaited<ReturnType<HeavyWrites[Name]>>> {
    try {
      return (await thread.ask({ name, given } as HeavyWrite, memory)) as Awaited<ReturnType<HeavyWrites[Name]>>;
    } catch (error) {
      engine.noteFault?.(error);
      throw faultOf(error);
    }
  }
  const isHeavy = ([row]: readonly { bytes: number }[]) => (row?.bytes ?? 0) > heavyBytes;
  const writes: HeavyWrites = {
    async createNotebook(notebook, pages) {
      const patches = pages.reduce((chars, { file }) => chars + (file?.patch.length ?? 0), 0);
      if (notebook.markdownBytes + patches <= heavyBytes) return here.createNotebook(notebook, pages);
      const packed = await packPages(pages);
      return ask(threads.owners, { name: 'createNotebook', given: [notebook, packed] }, memoryOf(packed));
    },
    async deleteNotebook(by, slugFreeAt) {
      return isHeavy(await engine.read(sizes.ofNotebook, { notebook: by.notebookId }))
        ? ask(threads.owners, { name: 'deleteNotebook', given: [by, slugFreeAt] })
        : here.deleteNotebook(by, slugFreeAt);
    },
    async deletePage(deletion) {
      return isHeavy(await engine.read(sizes.ofPage, { page: deletion.page }))
        ? ask(threads.owners, { name: 'deletePage', given: [deletion] })
        : here.deletePage(deletion);
    },
    purgeNotebooks: (...given) => ask(threads.purge, { name: 'purgeNotebooks', given }),
    deleteExpired: (...given) => ask(threads.purge, { name: 'deleteExpired', given }),
  };
  return {
    ...writes,
    async close() {
      await Promise.all([threads.owners.close(), threads.purge.close()]);
    },
  };
}
