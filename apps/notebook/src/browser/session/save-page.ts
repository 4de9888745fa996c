import type { ApiPage } from '../../api/types.ts';
import { limits } from '../../limits.ts';
import type { NotebookApi } from '../api/notebook-api.ts';
import { PageTooLong } from './save-problems.ts';
import type { SaveRequest } from './save-state.ts';

/** Browsers let 64 kB of requests outlive a page, all together. This leaves room for the rest of the body. */
const keepaliveBytes = 60_000;
let underway = 0;

/**
 * Sends one page's text. When the window is closing and the text is small enough, the request outlives it.
 * @throws PageTooLong before anything is sent
 */
export async function savePage(api: NotebookApi, pageId: string, request: SaveRequest): Promise<ApiPage> {
  const { markdown, baseRevision, autosave } = request;
  requirePageLength(markdown);
  const bytes = request.keepalive ? new TextEncoder().encode(JSON.stringify(markdown)).length : 0;
  const keepalive = request.keepalive && underway + bytes < keepaliveBytes;
  if (keepalive) underway += bytes;
  try {
    return await api.changePage(pageId, autosave ? { markdown, autosave } : { markdown }, { ifMatch: baseRevision, keepalive });
  } finally {
    if (keepalive) underway -= bytes;
  }
}

/** @throws PageTooLong */
export function requirePageLength(markdown: string): void {
  // No character takes more than three bytes for each of its UTF-16 units.
  if (markdown.length * 3 <= limits.maxMarkdownBytes) return;
  const bytes = new TextEncoder().encode(markdown).length;
  if (bytes > limits.maxMarkdownBytes) throw new PageTooLong(bytes);
}
