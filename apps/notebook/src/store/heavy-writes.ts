import type { Notebook, PageToKeep } from '../model/notebook.ts';
import type { Owner } from '../model/rights.ts';
import { findOwnProgram } from '../own-program.ts';
import { DatabaseUnavailable } from './database-unavailable.ts';
import type { Engine } from './engine.ts';
import type { RateSlot } from './kept/rate-slot.ts';
import { withRateSlot } from './kept/with-rate-slot.ts';
import { deleteNotebookInPortions } from './notebooks/delete-in-portions.ts';
import { createNotebook } from './notebooks/write-notebook.ts';
import { memoryOf, type PackedPage, packPages } from './packed-pages.ts';
import { deletePage } from './pages/write-pages.ts';
import { endProcessOnLostLog } from './sqlite/sqlite.ts';
import { sqliteFault } from './sqlite/sqlite-errors.ts';
import type { Budget, Statements } from './statements.ts';
import type { CreateResult, DeletePageResult } from './store.ts';
import { StoreThread, type ThreadFailure } from './store-thread.ts';
import { deleteExpired, purgeNotebooks } from './upkeep/write-purge.ts';
import type { DeletedExpired, ExpiredPlace, PurgeDue, Purged, PurgePlace } from './upkeep.ts';

interface PageDeletion {
  readonly by: Owner;
  readonly page: string;
  readonly now: number;
  readonly expectedRevision: number | undefined;
  readonly slot: RateSlot | undefined;
}

/** Writes that may take long. */
export interface HeavyWrites {
  createNotebook(notebook: Notebook, pages: readonly PageToKeep[]): Promise<CreateResult>;
  /** False when it is gone or its edit token was replaced. */
  deleteNotebook(by: Owner, slugFreeAt: number): Promise<boolean>;
  deletePage(deletion: PageDeletion): Promise<DeletePageResult>;
  purgeNotebooks(due: PurgeDue, slugFreeAt: number, limit: number, from?: PurgePlace): Promise<Purged>;
  deleteExpired(due: PurgeDue, now: number, limit: number, from?: ExpiredPlace): Promise<DeletedExpired>;
  deleteOldRateSlots(before: number, limit: number): Promise<number>;
}

/** The arguments of each write, as the thread receives them. */
interface Given extends Record<keyof HeavyWrites, readonly unknown[]> {
  readonly createNotebook: readonly [notebook: Notebook, pages: readonly PackedPage[]];
  readonly deleteNotebook: Parameters<HeavyWrites['deleteNotebook']>;
  readonly deletePage: Parameters<HeavyWrites['deletePage']>;
  readonly purgeNotebooks: Parameters<HeavyWrites['purgeNotebooks']>;
  readonly deleteExpired: Parameters<HeavyWrites['deleteExpired']>;
  readonly deleteOldRateSlots: Parameters<HeavyWrites['deleteOldRateSlots']>;
}

type OrderOf<Name extends keyof HeavyWrites> = { readonly name: Name; readonly given: Given[Name] };
/** A call of one of these writes. */
export type HeavyWrite = { [Name in keyof HeavyWrites]: OrderOf<Name> }[keyof HeavyWrites];

export interface HeavyWriteWorkerData {
  /** The path of SQLite's database. */
  readonly path: string;
  readonly budget: Budget;
  /** On Linux, the thread's niceness. */
  readonly niceness: number;
}

/** SQLite takes some 10 milliseconds to write a mebibyte, or to overwrite one with zeros on deletion; starting the thread takes 50. */
const heavyBytes = 262_144;

/**
 * With an embedded database, long writes run in a thread with its own connection, because they would hold up every reader otherwise. A
 * database server's work blocks no event loop.
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
      engine.write(() => withRateSlot(kept, slot, now, () => deletePage(statements, by, page, now, expectedRevision))),
    purgeNotebooks: (due, slugFreeAt, limit, from) => purgeNotebooks(engine, statements, due, slugFreeAt, { limit, from }),
    deleteExpired: (due, now, limit, from) => deleteExpired(engine, statements, due, now, { limit, from }),
    deleteOldRateSlots: async (now, limit) => (await engine.run(statements.purge.deleteWindows, { now, limit, from: 0 })).length,
  };
}

/** Turns a failure in the thread into the error to throw. */
function faultOf(error: unknown): unknown {
  // The thread could not be started, or it was lost.
  if (error instanceof DatabaseUnavailable) return error;
  const { uncertain } = error as ThreadFailure;
  return uncertain === undefined ? sqliteFault(error) : new DatabaseUnavailable(error, uncertain);
}

function writeInThread(engine: Engine, path: string, { budget, sizes }: Statements, here: HeavyWrites) {
  const start = (name: string, niceness: number) => {
    const data: HeavyWriteWorkerData = { path, budget, niceness };
    const url = findOwnProgram('heavy-write-worker', import.meta.url);
    return new StoreThread<HeavyWrite>({ url, name, data, writes: true, onError: endProcessOnLostLog });
  };
  // An owner waits for a large write, and others wait for its lock, so owners come before the purge. Readers come before both.
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
    deleteOldRateSlots: (...given) => ask(threads.purge, { name: 'deleteOldRateSlots', given }),
  };
  return {
    ...writes,
    async close() {
      await Promise.all([threads.owners.close(), threads.purge.close()]);
    },
  };
}
