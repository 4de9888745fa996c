import type { ApiPage } from '../../api/types.ts';
import type { EditorPage } from './editor-page.ts';
import type { SessionNote } from './session-notes.ts';

interface ReconcileParts {
  /** Pages deleted here that the server does not know about yet. */
  readonly beingDeleted: ReadonlySet<string>;
  readonly track: (page: ApiPage) => EditorPage;
  /** Called for a page that was deleted elsewhere and has nothing unsaved. */
  readonly forget: (page: EditorPage) => void;
}

/**
 * Merges the server's list of pages, and into each of ours what others wrote. A page the server no longer has stays in its place while
 * its unsaved words exist only here, until its writer decides.
 */
export function reconcilePages(mine: readonly EditorPage[], theirs: readonly ApiPage[], parts: ReconcileParts): EditorPage[] {
  const known = new Map(mine.map(page => [page.id, page]));
  const there = new Set(theirs.map(page => page.id));
  const pages = theirs
    .filter(page => !parts.beingDeleted.has(page.id))
    .map(page => {
      const ours = known.get(page.id);
      if (!ours) return parts.track(page);
      // A list that was asked for before our last save has the title from before, too.
      if (page.revision >= ours.saver.revision) ours.title = page.title;
      ours.saver.receive(page, true);
      return ours;
    });
  for (const [place, page] of mine.entries()) {
    if (there.has(page.id)) continue;
    if (page.isNew) pages.splice(place, 0, page);
    else if (page.saver.isUnsaved) {
      page.saver.lose('page');
      pages.splice(place, 0, page);
    } else parts.forget(page);
  }
  return pages;
}

export const deletedNote = (page: EditorPage): SessionNote => ({
  name: 'deleted',
  text: `“${page.name}” was deleted elsewhere.`,
});
