import { useEffect } from 'preact/hooks';
import type { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { TypedTitles } from '../../session/typed-titles.ts';

interface UnsavedTitles {
  of(page: EditorPage): string | undefined;
  /** @param title undefined when the page got its title */
  keep(page: EditorPage, title: string | undefined): void;
  /** The page whose form was open when the window was closed, once. */
  takeReopened(): EditorPage | undefined;
}

/**
 * Titles that pages should have got but did not, because they were refused or left in an open form. The next form offers them; if the
 * page is gone, a note does.
 */
export function useUnsavedTitles(session: NotebookSession): UnsavedTitles {
  const typed = TypedTitles.of(session);
  const { all, deleted } = session.pages;
  useEffect(() => {
    for (const { pageId, title, before } of typed.all) {
      const page = all.find(({ id, key }) => id === pageId || key === pageId);
      if (page && page.id !== pageId) typed.move(pageId, page.id);
      if (page) continue;
      typed.drop(pageId);
      // No note for a page deleted here: the person needs no title for it.
      if (deleted.all.some(other => other.page.id === pageId) || session.pages.isDeletedOffline(pageId)) continue;
      session.notes.show(lostTitle(pageId, before, title));
    }
  });
  return {
    of: page => typed.find(page.id),
    keep: (page, title) => (title === undefined ? typed.drop(page.id) : typed.keep(page, title)),
    takeReopened: () => {
      const { reopen } = typed;
      typed.reopen = undefined;
      return reopen === undefined ? undefined : session.pages.find(reopen);
    },
  };
}

const lostTitle = (pageId: string, before: string, title: string) => ({
  name: `title of ${pageId}`,
  tone: 'warning' as const,
  text: `“${before}” is no longer in this notebook. The title you wrote for it was “${title}”.`,
});
