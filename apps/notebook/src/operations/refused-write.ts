import { Refusal } from '../errors.ts';
import type { WriteRefused } from '../store/store.ts';

/** What changed between the check and the write: the store looked again, and its answer stands. */
export function refusalOfWrite(refused: WriteRefused): Refusal {
  if (refused.kind === 'read_only') return new Refusal('read_only');
  return new Refusal(refused.kind === 'gone' ? 'not_found' : 'edit_token_missing');
}
