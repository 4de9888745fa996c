import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { serveOrders } from '../serve-orders.ts';
import { openSqlite } from '../sqlite/sqlite.ts';
import { compileStatements } from '../statements.ts';
import { type Deleter, type DeletionOrder, type DeletionWorkerData, deleteHere } from './deletion-thread.ts';

// The program of a thread that deletes, so that none of it holds the event loop of the service. It has the database open as another
// process would.

const { path, budget } = workerData as DeletionWorkerData;
// On Linux 0 is the calling thread alone: whoever answers requests comes first where processors are short. Elsewhere it would be the process.
if (process.platform === 'linux') setPriority(0, 10);

let open: { readonly deleter: Deleter; close(): Promise<void> } | undefined;

function openDatabase() {
  const engine = openSqlite(path);
  return { deleter: deleteHere(engine, compileStatements(engine, budget)), close: () => engine.close() };
}

function obey(deleter: Deleter, order: DeletionOrder): Promise<unknown> {
  switch (order.kind) {
    case 'notebook':
      return deleter.notebook(order);
    case 'page':
      return deleter.page(order);
    case 'purge':
      return deleter.purge(order.due, order.slugFreeAt, order.limit);
    case 'expired':
      return deleter.expired(order.due, order.now, order.limit);
  }
}

serveOrders<DeletionOrder>({
  obey(order) {
    open ??= openDatabase();
    return obey(open.deleter, order);
  },
  close: () => open?.close(),
});
