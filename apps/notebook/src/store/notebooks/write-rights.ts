import type { Notebook } from '../../model/notebook.ts';
import type { Owner, Writer } from '../../model/rights.ts';
import { all } from '../engine.ts';
import type { Steps } from '../statement.ts';
import type { WriteRefused } from '../store.ts';
import { type NotebookStatements, toNotebook } from './notebook-statements.ts';

/** The notebook, locked against every other writer, or the reason why this writer may not change its content. */
export function* lockForContent(statements: NotebookStatements, by: Writer, now: number): Steps<Notebook | WriteRefused> {
  return authorize(yield* lock(statements, by.notebookId), by, now);
}

/** The notebook, or the reason why this writer may not change its content. */
export function authorize(notebook: Notebook | undefined, by: Writer, now: number): Notebook | WriteRefused {
  if (!notebook || notebook.takenDownAt !== null) return { kind: 'gone' };
  if (by.kind === 'owner' && by.editTokenHash !== notebook.editTokenHash) return { kind: 'gone' };
  // In this order: a notebook that was made private, too, is not there for a visitor, whatever else was changed.
  if (by.kind === 'visitor' && !by.admission.isStillValid(notebook, now)) return { kind: 'gone' };
  if (by.kind === 'visitor' && !notebook.openEditing) return { kind: 'not_allowed' };
  return notebook.readOnly ? { kind: 'read_only' } : notebook;
}

/** For what an owner may do even to a notebook that is read-only or taken down: the caller checks for that. */
export function* lockForOwner(statements: NotebookStatements, by: Owner): Steps<Notebook | undefined> {
  const notebook = yield* lock(statements, by.notebookId);
  return notebook?.editTokenHash === by.editTokenHash ? notebook : undefined;
}

function* lock(statements: NotebookStatements, id: string): Steps<Notebook | undefined> {
  const [row] = yield* all(statements.lock, { id });
  return row && toNotebook(row);
}
