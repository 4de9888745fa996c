import { setTimeout as sleep } from 'node:timers/promises';
import type { Parts } from './parts.ts';

const heavyMs = 25;
const longestPauseMs = 500;

/** Brings the text index up to what was written. */
export interface Indexer {
  /** Until nothing is queued. After a long page it rests as long as that took: requests have half of the time. */
  round(signal?: AbortSignal): Promise<void>;
  /** For a search: what was just written is found, unless there is more of it than this wait allows. */
  settle(waitMs: number): Promise<void>;
}

/** Any number of processes may do this at once: a page that two of them take is indexed twice, and once is kept. */
function createIndexer(store: Parts['store']): Indexer {
  let underWay: Promise<void> | undefined;

  async function work(signal: AbortSignal | undefined): Promise<void> {
    for (let notebook: string | undefined = ''; notebook !== undefined && !signal?.aborted; ) {
      const started = performance.now();
      notebook = await store.indexNextPage(notebook);
      const tookMs = performance.now() - started;
      if (notebook !== undefined && tookMs > heavyMs) await sleep(Math.min(tookMs, longestPauseMs));
    }
  }

  function round(signal?: AbortSignal): Promise<void> {
    underWay ??= work(signal).finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  return {
    round,
    async settle(waitMs) {
      // A search answers with what there is, whatever becomes of the index.
      await Promise.race([round().catch(() => {}), sleep(waitMs, undefined, { ref: false })]);
    },
  };
}

const indexers = new WeakMap<Parts['store'], Indexer>();

/** One for each store of the process: its rounds are never two at a time. */
export function indexerOf({ store }: Pick<Parts, 'store'>): Indexer {
  const indexer = indexers.get(store) ?? createIndexer(store);
  indexers.set(store, indexer);
  return indexer;
}
