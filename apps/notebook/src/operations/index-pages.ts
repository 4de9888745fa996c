import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexFailure, IndexTurn } from '../store/store.ts';
import type { Needs, Parts } from './parts.ts';

const heavyMs = 25;
const longestPauseMs = 500;

/** Brings the text index up to date with what was written. */
export interface Indexer {
  /**
   * Works until the queue is empty. After a long page it rests as long as that took: a flood of long pages uses at most half of a
   * processor.
   */
  round(signal?: AbortSignal): Promise<void>;
  /** For a search: recent writes are found, unless indexing them takes longer than this, measured from the start of the round. */
  settle(waitMs: number): Promise<void>;
  /** Pages that failed since the last call. */
  takeFailures(): IndexFailure[];
}

type Indexed = Needs<'store' | 'now'>;

/** Reported together; if more failed, the first ones show what is wrong. */
const maxFailures = 20;

/** Any number of processes may do this at once: a page that two of them take is indexed twice and stored once. */
function createIndexer({ store, now }: Indexed): Indexer {
  let underWay: Promise<void> | undefined;
  let begunAt = 0;
  let failures: IndexFailure[] = [];
  /** Ends the round under way, also one that began without a signal: a search may have begun it. */
  let ending: AbortSignal | undefined;

  async function work(): Promise<void> {
    for (let notebook: string | undefined = ''; notebook !== undefined && !ending?.aborted; ) {
      const started = performance.now();
      const turn: IndexTurn | undefined = await store.indexNextPage(notebook, now());
      if (turn?.failure && failures.length < maxFailures) failures.push(turn.failure);
      notebook = turn?.notebookId;
      const tookMs = performance.now() - started;
      if (notebook !== undefined && tookMs > heavyMs) await sleep(Math.min(tookMs, longestPauseMs));
    }
  }

  function round(signal?: AbortSignal): Promise<void> {
    if (!underWay) begunAt = performance.now();
    if (!underWay || signal) ending = signal;
    underWay ??= work().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  return {
    round,
    async settle(waitMs) {
      const isUnderWay = underWay !== undefined;
      // A search answers with what is indexed, even if indexing fails.
      const first = round().catch(() => {});
      // A round under way may have looked at the queue before what this search is to find was written: one more follows it.
      const following = isUnderWay ? first.then(() => (ending?.aborted ? undefined : round())).catch(() => {}) : first;
      // A round that has already run this long still has much to do: nobody waits for it.
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

/** One for each store of the process, so that only one round runs at a time. */
export function indexerOf(parts: Indexed): Indexer {
  const indexer = indexers.get(parts.store) ?? createIndexer(parts);
  indexers.set(parts.store, indexer);
  return indexer;
}
