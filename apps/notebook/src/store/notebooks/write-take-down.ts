import { first } from '../engine.ts';
import { queueNotebook } from '../search/queue-pages.ts';
import type { Steps } from '../statement.ts';
import type { Statements } from '../statements.ts';
import { toNotebook } from './notebook-statements.ts';

export function* takeDown(statements: Statements, slug: string, at: number | null): Steps<'changed' | 'unchanged' | 'missing'> {
  const { notebooks, reports } = statements;
  const found = yield* first(notebooks.bySlug, { slug });
  const row = found && (yield* first(notebooks.lock, { id: found.id }));
  if (!row) return 'missing';
  if ((row.takenDownAt === null) === (at === null)) return 'unchanged';
  yield reports.takeDown.with({ id: row.id, at });
  // A trigger removes the pages from the text index; their return is queued here.
  yield* queueNotebook(statements, { ...toNotebook(row), takenDownAt: at });
  return 'changed';
}
