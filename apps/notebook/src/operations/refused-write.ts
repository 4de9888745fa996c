import { Refusal, rateLimited } from '../errors.ts';
import type { TooLarge, WriteRefused } from '../store/store.ts';

/** What changed between the check and the write: the store looked again, and its answer stands. */
export function refusalOfWrite(refused: WriteRefused | TooLarge): Refusal {
  if (refused.kind === 'rate_limited') return rateLimited(refused.retryAfterSeconds);
  if (refused.kind === 'notebook_too_large') return notebookTooLarge(refused.maxBytes);
  if (refused.kind === 'read_only') return new Refusal('read_only');
  return new Refusal(refused.kind === 'gone' ? 'not_found' : 'edit_token_missing');
}

/** What was there stays as it is; the writer is told what would help. */
export function notebookTooLarge(maxBytes: number): Refusal {
  const most = `${Number((maxBytes / 1_048_576).toFixed(1))} MiB`;
  return new Refusal('notebook_too_large', {
    detail: `Its pages may hold ${most} of text together. Shorten or delete pages, or continue in a new notebook.`,
  });
}
