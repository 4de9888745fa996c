import { Refusal, rateLimited } from '../errors.ts';
import type { TooLarge, WriteRefused } from '../store/store.ts';

/** The store found the notebook closed to this caller, and the check after that found it open again. */
class OpenAgain extends Refusal {
  constructor() {
    super('not_found');
  }
}

/**
 * The store found no such notebook for this caller, though the check before had let it through: the check, made again, says why. Its edit
 * link was replaced, it was taken down, or a visitor's password is no longer the one in force.
 */
export async function refuseGone(checkAgain: () => Promise<unknown>): Promise<never> {
  await checkAgain();
  throw new OpenAgain();
}

/** The operation, attempted once more when the notebook was closed for a moment only: a refusal would be one that nothing explains. */
export function onceMore<Given extends unknown[], Result>(
  attempt: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  return async (...given) => {
    try {
      return await attempt(...given);
    } catch (error) {
      if (error instanceof OpenAgain) return attempt(...given);
      throw error;
    }
  };
}

/** The refusal when something changed between the check and the write: the store checked again, and its answer decides. */
export function refusalOfWrite(refused: WriteRefused | TooLarge, { withFile = false } = {}): Refusal {
  if (refused.kind === 'rate_limited') return rateLimited(refused.retryAfterSeconds);
  if (refused.kind === 'notebook_too_large') return notebookTooLarge(refused.maxBytes, withFile);
  if (refused.kind === 'read_only') return new Refusal('read_only');
  return new Refusal(refused.kind === 'gone' ? 'not_found' : 'edit_token_missing');
}

/**
 * The text stays as it is, and the writer is told what would help.
 * @param withFile the refused page comes from a file
 */
export function notebookTooLarge(maxBytes: number, withFile: boolean): Refusal {
  const hidden = withFile ? ' The parts of imported files that only an export shows count too.' : '';
  return new Refusal('notebook_too_large', {
    detail: `Its pages may hold ${bytesInWords(maxBytes)} of text together.${hidden} Shorten or delete pages, or continue in a new notebook.`,
  });
}

function bytesInWords(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  const [size, unit] = bytes < 1_048_576 ? [bytes / 1_024, 'KiB'] : [bytes / 1_048_576, 'MiB'];
  return `${Number(size.toFixed(1))} ${unit}`;
}
