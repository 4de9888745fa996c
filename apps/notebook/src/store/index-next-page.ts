import { setImmediate } from 'node:timers/promises';
import type { TextKey, TextsAtWork } from '../model/texts-at-work.ts';
import type { Engine } from './engine.ts';
import type { PageToIndex, Queued } from './queue-statements.ts';
import { foldForSearch, longGrams, shortGrams } from './search-grams.ts';
import { type IndexEntry, maxSearchedChars } from './search-index.ts';
import type { Steps } from './statement.ts';
import type { Statements } from './statements.ts';

/**
 * Brings the index up to one page of the queue.
 * @param afterNotebook whose turn was last
 * @returns whose turn it was now; undefined when nothing is queued
 */
export async function indexNextPage(
  engine: Engine,
  statements: Statements,
  texts: TextsAtWork,
  afterNotebook: string,
): Promise<string | undefined> {
  const { queue, search } = statements;
  const [queued] = [...(await engine.read(queue.after, { notebook: afterNotebook })), ...(await engine.read(queue.first, {}))];
  if (!queued) return undefined;
  const [page] = await engine.read(queue.page, { page: queued.pageId });
  const key = page && { id: queued.pageId, revision: page.revision };
  // What ended the process twice is not searched: it would be met here again at every start.
  const entry = key && !texts.isUnsafe(key) ? await readEntry(texts, key, page, search.wantsLongGrams) : undefined;
  // Where both take long, what was there leaves in a transaction of its own: neither holds other writers longer than it must.
  if (search.dropsFirst && entry && entry.folded.length > shortChars) await engine.write(() => dropQueued(statements, queued));
  await engine.write(() => finish(statements, queued, entry));
  return queued.notebookId;
}

const shortChars = 4_096;

/** Not what another process has put there meanwhile. */
function* dropQueued({ queue, search }: Statements, { pageId, number }: Queued): Steps<void> {
  const waiting = (yield queue.find.with({ page: pageId, number })) as unknown[];
  if (waiting.length > 0) yield* search.drop(pageId);
}

/** The work of a long page in steps, with the event loop in between. */
async function readEntry(
  texts: TextsAtWork,
  key: TextKey,
  { title, givenTitle, text }: PageToIndex,
  long: boolean,
): Promise<IndexEntry> {
  const folded = texts.on(key, () => foldForSearch(`${title}\n${givenTitle}\n${text}`.slice(0, maxSearchedChars).toWellFormed()));
  await setImmediate();
  const short = texts.on(key, () => shortGrams(folded));
  await setImmediate();
  const grams = long ? texts.on(key, () => longGrams(folded)) : new Set<string>();
  return { page: key.id, folded, shortGrams: short, longGrams: grams };
}

/** What was queued again meanwhile is another turn's; what stopped being public meanwhile was queued again, or has left already. */
function* finish({ queue, search }: Statements, { pageId, number }: Queued, entry: IndexEntry | undefined): Steps<void> {
  const done = (yield queue.done.with({ page: pageId, number })) as unknown[];
  if (done.length === 0) return;
  // Looked at once more, in the transaction that puts it in: a deleted page or one that is not public any more has no place here.
  const listed = entry ? ((yield queue.page.with({ page: pageId })) as unknown[]) : [];
  if (entry && listed.length > 0) yield* search.put(entry);
  else yield* search.drop(pageId);
}
