import type { TextTracker } from '../../model/text-tracker.ts';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import { type Engine, each } from '../engine.ts';
import type { IndexTurn } from '../notebooks/public-records.ts';
import type { Steps } from '../statement.ts';
import type { Statements } from '../statements.ts';
import { longestWaitMs } from './queue-statements.ts';
import type { Followed, Queued } from './search-index.ts';

/** Brings the index up to date for one page of the queue (`Store.indexNextPage`). */
export async function indexNextPage(
  engine: Engine,
  statements: Statements,
  texts: TextTracker,
  afterNotebook: string,
  now: number,
): Promise<IndexTurn | undefined> {
  const { queue } = statements;
  await engine.search.open();
  const given = { notebook: afterNotebook, now };
  const queued = (await engine.read(queue.after, given))[0] ?? (await engine.read(queue.first, given))[0];
  if (!queued) return undefined;
  const { pageId, number, notebookId } = queued;
  try {
    const [page] = await engine.read(queue.revision, { page: pageId });
    // A text that ended the process twice is not searched. A new revision is queued again.
    const isSearched = !(page && texts.isUnsafe({ id: pageId, revision: page.revision }));
    const followed = await engine.search.follow(queued, isSearched);
    await engine.write(() => finish(statements, queued, followed));
    return { notebookId };
  } catch (error) {
    // Whatever is wrong with this page, the others must not wait behind it.
    const tries = queued.tries + 1;
    const waitMs = Math.min(longestWaitMs, 1_000 * 2 ** Math.min(tries, 20));
    await engine.run(queue.postpone, { page: pageId, number, until: now + waitMs });
    if (error instanceof DatabaseUnavailable) throw error;
    return { notebookId, failure: { pageId, tries, waitMs, error } };
  }
}

/** A page that was queued again meanwhile belongs to another turn. */
function* finish({ queue, search }: Statements, queued: Queued, followed: Followed): Steps<void> {
  if (followed === 'late') return;
  const done = (yield queue.done.with({ page: queued.pageId, number: queued.number })) as unknown[];
  if (done.length > 0) yield* each(search.note(queued, followed));
}
