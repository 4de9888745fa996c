import { nextTurn } from '../event-loop-turns.ts';
import type { Page } from '../model/notebook.ts';
import type { Needs } from './parts.ts';
import { renderInAdvance } from './render-page.ts';

/** Each asks what is kept of it and takes its place in line, a fraction of a millisecond, and a notebook may bring 200. */
const pagesInOneTurn = 10;

/**
 * Renders what was just written, so that no view has to. Nobody waits for it, and a failure only means that the first view renders.
 * @param client who wrote it, and pays with a share of the threads' time
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
        .then(() => parts.pageRendered?.(slug, page.id))
        .catch(() => {});
    }
  })();
}
