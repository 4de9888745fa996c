import { Refusal } from '../errors.ts';

/** Clients that wait this long before they retry do not make an outage worse. */
const retryAfterSeconds = 5;

/**
 * The database failed for a reason other than the request: no connection, no answer in time, no disk space, or a file that cannot be read
 * or written. Answered as 503 (docs/errors.md); `cause` is for the operator's log.
 */
export class DatabaseUnavailable extends Refusal {
  /** True when a change was under way and nobody knows whether it was committed. */
  readonly uncertain: boolean;

  constructor(cause: unknown, uncertain = false) {
    const detail = uncertain
      ? 'The connection to the database broke during the change. It may or may not be saved: read it again before you repeat it.'
      : 'The database does not work right now. Nothing was changed.';
    super('unavailable', { retryAfterSeconds, detail }, { cause });
    this.uncertain = uncertain;
  }
}
