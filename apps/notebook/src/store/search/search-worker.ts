import { workerData } from 'node:worker_threads';
import { lowerPriority } from '../../own-program.ts';
import { serveRequests } from '../serve-requests.ts';
import { gramsArray } from './indexed-text.ts';
import type { SearchRequest, SearchWorkerData } from './search-thread.ts';
import { SearchReader } from './sqlite-search-reader.ts';
import { SearchWriter } from './sqlite-search-writer.ts';

// The program of a thread for the text index, so that none of its work blocks the service's event loop.

const { path, niceness } = workerData as SearchWorkerData;
// The thread that answers requests comes first when processors are busy. Outside Linux, this would lower the priority of the whole process.
if (process.platform === 'linux') lowerPriority(niceness);

let writer: SearchWriter | undefined;
let reader: SearchReader | undefined;

function handle(request: SearchRequest): unknown {
  switch (request.kind) {
    case 'grams':
      return gramsArray(request.page);
    case 'follow':
      writer ??= new SearchWriter(path);
      return writer.follow(request);
    case 'read':
      reader ??= new SearchReader(path);
      return reader.read(request.query);
  }
}

const tidyAfterMs = 1_000;
let tidying: NodeJS.Timeout | undefined;

/** Runs once the thread has been idle for a moment, and again while a reader still uses the old content. */
function tidy(of: SearchWriter): void {
  clearTimeout(tidying);
  tidying = setTimeout(() => of.tidy() || tidy(of), tidyAfterMs).unref();
}

serveRequests<SearchRequest>({
  handle,
  onArrival: () => clearTimeout(tidying),
  onAnswered: () => writer && tidy(writer),
  close() {
    for (const each of [writer, reader]) each?.close();
  },
});
