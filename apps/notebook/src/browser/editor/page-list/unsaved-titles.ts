import { useEffect, useState } from 'preact/hooks';
import type { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';

interface UnsavedTitles {
  of(page: EditorPage): string | undefined;
  /** @param title undefined when the page got its title */
  keep(page: EditorPage, title: string | undefined): void;
}

/**
 * Keeps titles that pages should have got but did not, because they were refused or left in an open form. The next form offers them; if the
 * page is gone, a note does.
 */
export function useUnsavedTitles(session: NotebookSession): UnsavedTitles {
  const [unsaved, setUnsaved] = useState<ReadonlyMap<EditorPage, string>>(new Map());
  const { all, deleted } = session.pages;
  useEffect(() => {
    const gone = [...unsaved].filter(([page]) => !all.includes(page));
    if (gone.length === 0) return;
    setUnsaved(new Map([...unsaved].filter(([page]) => all.includes(page))));
    for (const [page, title] of gone) {
      // No note for a page deleted here: the person needs no title for it.
      if (!deleted.all.some(other => other.page === page)) session.notes.show(lostTitle(page, title));
    }
  });
  return {
    of: page => unsaved.get(page),
    keep: (page, title) =>
      setUnsaved(before => {
        const others = [...before].filter(([other]) => other !== page);
        return new Map(title === undefined ? others : [...others, [page, title]]);
      }),
  };
}

const lostTitle = (page: EditorPage, title: string) => ({
  name: `title of ${page.key}`,
  tone: 'warning' as const,
  text: `“${page.title}” is no longer in this notebook. The title you wrote for it was “${title}”.`,
});
