import type { ApiPage } from '../../api/types.ts';
import type { EditorPage } from './editor-page.ts';

interface ReconcileParts {
  /** Deleted here a moment ago: the server does not know yet. */
  readonly beingDeleted: ReadonlySet<string>;
  readonly track: (page: ApiPage) => EditorPage;
  /** Deleted elsewhere, with nothing unsaved. */
  readonly forget: (page: EditorPage) => void;
}

/**
 * The list of pages as the server has it, each of ours with what others wrote into it. A page that the server has no more, and whose
 * unsaved words nobody else has, stays where it is until its writer decides.
 */
export function reconcilePages(mine: readonly EditorPage[], theirs: readonly ApiPage[], parts: ReconcileParts): EditorPage[] {
  const known = new Map(mine.map(page => [page.id, page]));
  const there = new Set(theirs.map(page => page.id));
  const pages = theirs
    .filter(page => !parts.beingDeleted.has(page.id))
    .map(page => {
      const ours = known.get(page.id);
      if (!ours) return parts.track(page);
      ours.title = page.title;
      ours.saver.receive(page);
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
