import { useEffect, useState } from 'preact/hooks';
import type { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';

interface WantedTitles {
  of(page: EditorPage): string | undefined;
  /** Undefined: it has what it was to get. */
  keep(page: EditorPage, title: string | undefined): void;
}

/** Titles that pages were to get and did not: refused, or left in an open form. The next form offers them; of a page that is gone, a note does. */
export function useWantedTitles(session: NotebookSession): WantedTitles {
  const [wanted, setWanted] = useState<ReadonlyMap<EditorPage, string>>(new Map());
  const { all, deleted } = session.pages;
  useEffect(() => {
    const gone = [...wanted].filter(([page]) => !all.includes(page));
    if (gone.length === 0) return;
    setWanted(new Map([...wanted].filter(([page]) => all.includes(page))));
    for (const [page, title] of gone) {
      // Who deletes a page here needs no title for it.
      if (!deleted.all.some(other => other.page === page)) session.notes.say(lostTitle(page, title));
    }
  });
  return {
    of: page => wanted.get(page),
    keep: (page, title) =>
      setWanted(before => {
        const others = [...before].filter(([other]) => other !== page);
        return new Map(title === undefined ? others : [...others, [page, title]]);
      }),
  };
}

const lostTitle = (page: EditorPage, title: string) => ({
  name: `title of ${page.key}`,
  text: `“${page.title}” is no longer in this notebook. The title you wrote for it was “${title}”.`,
});
