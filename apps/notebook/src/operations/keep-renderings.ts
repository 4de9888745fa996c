import type { Page } from '../model/notebook.ts';
import type { Needs } from './parts.ts';
import { renderInAdvance } from './render-page.ts';

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
  for (const page of pages) {
    renderInAdvance(parts, page, client)
      .then(() => parts.pageRendered?.(slug, page.id))
      .catch(() => {});
  }
}
