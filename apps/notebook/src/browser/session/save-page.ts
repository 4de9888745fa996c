import type { NotebookApi } from '../api/api-client.ts';
import type { ApiPage } from '../api/api-types.ts';
import type { SaveRequest } from './save-state.ts';

/** What browsers let outlive its page: 64 kB for all requests together, with room for the frame of the body. */
const keepaliveBytes = 60_000;
let underway = 0;

/** Sends one page's text; when the window is going away and the text is small enough, so that the request outlives it. */
export async function savePage(api: NotebookApi, pageId: string, request: SaveRequest): Promise<ApiPage> {
  const { markdown, baseRevision, autosave } = request;
  const bytes = request.keepalive ? new TextEncoder().encode(JSON.stringify(markdown)).length : 0;
  const keepalive = request.keepalive && underway + bytes < keepaliveBytes;
  if (keepalive) underway += bytes;
  try {
    return await api.changePage(pageId, autosave ? { markdown, autosave } : { markdown }, { ifMatch: baseRevision, keepalive });
  } finally {
    if (keepalive) underway -= bytes;
  }
}
