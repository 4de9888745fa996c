import type { NotebookSession } from './notebook-session.ts';
import { isUnanswered } from './save-problems.ts';

/** The notebook's title as it is shown: the newest, which the server may not have yet. */
export const titleOf = ({ pages, notebook }: Pick<NotebookSession, 'pages' | 'notebook'>): string =>
  pages.changes.title ?? notebook.title;

/**
 * Gives the notebook a title. While the server fails, the title is kept on this device like a text, and saved later.
 * @throws the problem when the title was refused
 */
export async function saveTitle(
  session: Pick<NotebookSession, 'pages' | 'notebook' | 'changeNotebook' | 'isVisitor'>,
  title: string,
  options: { readonly keepalive?: boolean } = {},
): Promise<void> {
  const { pages, notebook } = session;
  const { changes } = pages;
  const note = (): void => changes.noteTitle(title, notebook.title);
  // A window that is closing may not hear the answer. An older title that still waits must not come after this one.
  if (options.keepalive || changes.title !== undefined) note();
  try {
    await session.changeNotebook({ title }, options);
  } catch (problem) {
    if (!isUnanswered(problem) || session.isVisitor) {
      if (changes.title === title) changes.forgetTitle();
      throw problem;
    }
    changes.problem = problem;
    if (changes.title === undefined) note();
    pages.syncChanges();
    return;
  }
  if (changes.title === title) changes.forgetTitle();
}
