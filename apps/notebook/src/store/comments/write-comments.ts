import { limits } from '../../limits.ts';
import type { Comment } from '../../model/comment.ts';
import type { Notebook } from '../../model/notebook.ts';
import { type Admission, Owner } from '../../model/rights.ts';
import { all, first } from '../engine.ts';
import { toNotebook } from '../notebooks/notebook-statements.ts';
import { lockForOwner } from '../notebooks/write-rights.ts';
import type { Steps } from '../statement.ts';
import type { Statements } from '../statements.ts';
import type { AddCommentResult } from '../store.ts';

/** Counts under the notebook's lock, so that concurrent readers cannot exceed the limit. */
export function* addComment(
  statements: Statements,
  comment: Comment,
  by: Owner | Admission | undefined,
): Steps<AddCommentResult> {
  const { notebooks, pages, comments } = statements;
  const [row] = yield* all(notebooks.lock, { id: comment.notebookId });
  const notebook = row && toNotebook(row);
  if (!notebook || notebook.takenDownAt !== null) return 'gone';
  if (by && !isStillValid(by, notebook, comment.createdAt)) return 'gone';
  if (!notebook.comments) return 'comments_off';
  const { notebookId, pageId } = comment;
  if (pageId !== null && !(yield* first(pages.find, { notebook: notebookId, page: pageId }))) return 'page_missing';
  const counted = yield* first(comments.count, { notebook: notebookId });
  if (Number(counted?.count) >= limits.maxCommentsPerNotebook) return 'comment_limit';
  yield comments.insert.with(comment);
  yield comments.redraw.with({ notebook: notebookId });
  return 'added';
}

function isStillValid(by: Owner | Admission, notebook: Notebook, now: number): boolean {
  return by instanceof Owner ? by.editTokenHash === notebook.editTokenHash : by.isStillValid(notebook, now);
}

export function* deleteComment(
  statements: Statements,
  by: Owner,
  comment: string,
): Steps<'deleted' | 'comment_missing' | 'gone'> {
  const notebook = yield* lockForOwner(statements.notebooks, by);
  if (!notebook || notebook.takenDownAt !== null) return 'gone';
  const deleted = yield* first(statements.comments.delete, { notebook: notebook.id, comment });
  if (!deleted) return 'comment_missing';
  yield statements.comments.redraw.with({ notebook: notebook.id });
  return 'deleted';
}
