import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { type HeavyWrite, type HeavyWrites, type HeavyWriteWorkerData, writeHere } from './heavy-writes.ts';
import { serveOrders } from './serve-orders.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import { compileStatements } from './statements.ts';

// The program of a thread that writes much, so that none of it holds the event loop of the service. It has the database open as another
// process would.

const { path, budget, niceness } = workerData as HeavyWriteWorkerData;
// On Linux 0 is the calling thread alone: whoever answers requests comes first where processors are short. Elsewhere it would be the process.
if (process.platform === 'linux') setPriority(0, niceness);

let open: { readonly writes: HeavyWrites; close(): Promise<void> } | undefined;

function openDatabase() {
  const engine = openSqlite(path);
  return { writes: writeHere(engine, compileStatements(engine, budget)), close: () => engine.close() };
}

serveOrders<HeavyWrite>({
  obey({ name, given }) {
    open ??= openDatabase();
    return (open.writes[name] as (...given: unknown[]) => Promise<unknown>)(...given);
  },
  close: () => open?.close(),
});
