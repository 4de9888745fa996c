import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexFailure, IndexTurn } from '../store/store.ts';
import type { Needs, Parts } from './parts.ts';

const heavyMs = 25;
const longestPauseMs = 500;

/** Brings the text index up to what was written. */
export interface Indexer {
  /** Until nothing is queued. After a long page it rests as long as that took: a flood of them has half of a processor at most. */
  round(signal?: AbortSignal): Promise<void>;
  /** For a search: what was just written is found, unless there is more of it than this wait allows, counted from the start of the round. */
  settle(waitMs: number): Promise<void>;
  /** Pages that failed since it was asked last. */
  takeFailures(): IndexFailure[];
}

type Indexed = Needs<'store' | 'now'>;

/** Told of at once; what is wrong with so many is told by the first of them. */
const mostFailures = 20;

/** Any number of processes may do this at once: a page that two of them take is indexed twice, and once is kept. */
function createIndexer({ store, now }: Indexed): Indexer {
  let underWay: Promise<void> | undefined;
  let begunAt = 0;
  let failures: IndexFailure[] = [];

  async function work(signal: AbortSignal | undefined): Promise<void> {
    for (let notebook: string | undefined = ''; notebook !== undefined && !signal?.aborted; ) {
      const started = performance.now();
      const turn: IndexTurn | undefined = await store.indexNextPage(notebook, now());
      if (turn?.failure && failures.length < mostFailures) failures.push(turn.failure);
      notebook = turn?.notebookId;
      const tookMs = performance.now() - started;
      if (notebook !== undefined && tookMs > heavyMs) await sleep(Math.min(tookMs, longestPauseMs));
    }
  }

  function round(signal?: AbortSignal): Promise<void> {
    if (!underWay) begunAt = performance.now();
    underWay ??= work(signal).finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  return {
    round,
    async settle(waitMs) {
      // A search answers with what there is, whatever becomes of the index.
      const following = round().catch(() => {});
      // A round that has been at work for so long has much before it: nobody waits for that.
      const leftMs = begunAt + waitMs - performance.now();
      if (leftMs > 0) await Promise.race([following, sleep(leftMs, undefined, { ref: false })]);
    },
    takeFailures() {
      const taken = failures;
      failures = [];
      return taken;
    },
  };
}

const indexers = new WeakMap<Parts['store'], Indexer>();

/** One for each store of the process: its rounds are never two at a time. */
export function indexerOf(parts: Indexed): Indexer {
  const indexer = indexers.get(parts.store) ?? createIndexer(parts);
  indexers.set(parts.store, indexer);
  return indexer;
}
