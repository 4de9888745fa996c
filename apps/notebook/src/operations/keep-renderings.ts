import type { Page } from '../model/notebook.ts';
import type { Parts } from './parts.ts';
import { renderPage } from './render-page.ts';

/**
 * Renders what was just written, so that no view has to. Nobody waits for it, and a failure only means that the first view renders.
 */
export function keepRenderings(parts: Parts, pages: readonly Page[]): void {
  for (const page of pages) renderPage(parts, page, 'view').catch(() => {});
}
