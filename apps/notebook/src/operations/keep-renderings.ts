import { nextTurn } from '../event-loop-turns.ts';
import type { Page } from '../model/notebook.ts';
import type { Needs } from './parts.ts';
import { renderInAdvance } from './render-page.ts';

/** Each page looks up its kept rendering and joins the queue, which takes a fraction of a millisecond, and a notebook may have 200. */
const pagesInOneTurn = 10;

/**
 * Renders newly written pages, so that no view has to. Nobody waits for it, and a failure only means that the first view renders.
 * @param client the writer, who is charged for the threads' time
 */
export function keepRenderings(
  parts: Needs<'store' | 'renderer' | 'texts' | 'objects' | 'pageRendered'>,
  slug: string,
  pages: readonly Page[],
  client: string | undefined,
): void {
  void (async () => {
    for (const [at, page] of pages.entries()) {
      if (at > 0 && at % pagesInOneTurn === 0) await nextTurn();
      renderInAdvance(parts, page, client)
        .then(isKept => {
          if (isKept) parts.pageRendered?.(slug, page.id);
        })
        .catch(() => {});
    }
  })();
}
