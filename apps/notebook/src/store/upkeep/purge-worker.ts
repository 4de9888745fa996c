import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { serveOrders } from '../serve-orders.ts';
import { openSqlite } from '../sqlite/sqlite.ts';
import { compileStatements } from '../statements.ts';
import { type PurgeOrder, type Purger, type PurgeWorkerData, purgeHere } from './purge-thread.ts';

// The program of a thread that deletes what is over, so that none of it holds the event loop of the service. It has the database open as
// another process would.

const { path, budget } = workerData as PurgeWorkerData;
// On Linux 0 is the calling thread alone: whoever answers requests comes first where processors are short. Elsewhere it would be the process.
if (process.platform === 'linux') setPriority(0, 10);

let open: { readonly purger: Purger; close(): Promise<void> } | undefined;

function openDatabase() {
  const engine = openSqlite(path);
  return { purger: purgeHere(engine, compileStatements(engine, budget)), close: () => engine.close() };
}

serveOrders<PurgeOrder>({
  obey(order) {
    open ??= openDatabase();
    const { purger } = open;
    return order.kind === 'notebooks'
      ? purger.notebooks(order.due, order.slugFreeAt, order.limit)
      : purger.others(order.due, order.now, order.limit);
  },
  close: () => open?.close(),
});
