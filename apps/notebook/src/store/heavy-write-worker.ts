import { workerData } from 'node:worker_threads';
import { lowerPriority } from '../own-program.ts';
import { DatabaseUnavailable } from './database-unavailable.ts';
import type { Engine } from './engine.ts';
import { type HeavyWrite, type HeavyWrites, type HeavyWriteWorkerData, writeHere } from './heavy-writes.ts';
import { unpackPages } from './packed-pages.ts';
import { serveRequests } from './serve-requests.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import { compileStatements } from './statements.ts';

// The program of a thread for large writes, so that they do not block the service's event loop. It opens the database as another process
// would.

const { path, budget, niceness } = workerData as HeavyWriteWorkerData;
// The thread that answers requests comes first when processors are busy. Outside Linux, this would lower the priority of the whole process.
if (process.platform === 'linux') lowerPriority(niceness);

let opened: { readonly writes: HeavyWrites; close(): Promise<void> } | undefined;

function openDatabase() {
  const engine = open();
  return { writes: writeHere(engine, compileStatements(engine, budget)), close: () => engine.close() };
}

/** @throws DatabaseUnavailable whatever the reason: the service has the file open, so the fault is temporary */
function open(): Engine {
  try {
    return openSqlite(path);
  } catch (error) {
    throw new DatabaseUnavailable((error as Error).cause);
  }
}

serveRequests<HeavyWrite>({
  handle(request) {
    opened ??= openDatabase();
    if (request.name === 'createNotebook') return opened.writes.createNotebook(request.given[0], unpackPages(request.given[1]));
    const { name, given } = request;
    return (opened.writes[name] as (...given: unknown[]) => Promise<unknown>)(...given);
  },
  close: () => opened?.close(),
});
