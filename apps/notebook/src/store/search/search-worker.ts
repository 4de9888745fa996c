import { workerData } from 'node:worker_threads';
import { stepBack } from '../../own-program.ts';
import { serveOrders } from '../serve-orders.ts';
import { gramsArray } from './indexed-text.ts';
import type { SearchOrder, SearchWorkerData } from './search-thread.ts';
import { SearchReader } from './sqlite-search-reader.ts';
import { SearchWriter } from './sqlite-search-writer.ts';

// The program of a thread that works for the text index, so that none of it holds the event loop of the service.

const { path, niceness } = workerData as SearchWorkerData;
// Whoever answers requests comes first where processors are short. Elsewhere than on Linux it would be the whole process that steps back.
if (process.platform === 'linux') stepBack(niceness);

let writer: SearchWriter | undefined;
let reader: SearchReader | undefined;

function obey(order: SearchOrder): unknown {
  switch (order.kind) {
    case 'grams':
      return gramsArray(order.page);
    case 'follow':
      writer ??= new SearchWriter(path);
      return writer.follow(order);
    case 'read':
      reader ??= new SearchReader(path);
      return reader.read(order.query);
  }
}

const tidyAfterMs = 1_000;
let tidying: NodeJS.Timeout | undefined;

/** Once there is nothing to do for a moment; again later, while somebody still reads what was there before. */
function tidy(of: SearchWriter): void {
  clearTimeout(tidying);
  tidying = setTimeout(() => of.tidy() || tidy(of), tidyAfterMs).unref();
}

serveOrders<SearchOrder>({
  obey,
  begin: () => clearTimeout(tidying),
  answered: () => writer && tidy(writer),
  close() {
    for (const each of [writer, reader]) each?.close();
  },
});
