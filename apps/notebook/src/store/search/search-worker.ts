import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { gramsArray } from './indexed-text.ts';
import type { SearchAnswer, SearchOrder, SearchWorkerData } from './search-thread.ts';
import { SearchReader } from './sqlite-search-reader.ts';
import { SearchWriter } from './sqlite-search-writer.ts';

// The program of a thread that works for the text index, so that none of it holds the event loop of the service.

const { path, niceness } = workerData as SearchWorkerData;
// On Linux 0 is the calling thread alone: whoever answers requests comes first where processors are short. Elsewhere it would be the process.
if (process.platform === 'linux') setPriority(0, niceness);

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

function answer(number: number, order: SearchOrder): SearchAnswer {
  try {
    return { number, result: obey(order) };
  } catch (error) {
    const { message, errcode, lostIndex } = error as { message: string; errcode?: number; lostIndex?: string };
    return { number, failed: { message, errcode, lostIndex } };
  }
}

parentPort?.on('message', ({ number, order }: { number: number; order: SearchOrder | 'end' }) => {
  clearTimeout(tidying);
  if (order === 'end') {
    for (const each of [writer, reader] as { close(): void }[]) each?.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(answer(number, order));
  if (writer) tidy(writer);
});
