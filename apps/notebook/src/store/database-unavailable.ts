import { Refusal } from '../errors.ts';

/** A client that waits this long and tries again is not part of the trouble. */
const retryAfterSeconds = 5;

/**
 * The database did not do what it was asked, and not because of what it was asked: no connection, no answer in time, no room, a file
 * that cannot be read or written. Answered as 503 (docs/errors.md); `cause` is for the operator's log.
 */
export class DatabaseUnavailable extends Refusal {
  /** True when a change was on its way and nobody knows whether it stands. */
  readonly uncertain: boolean;

  constructor(cause: unknown, uncertain = false) {
    super('unavailable', {
      retryAfterSeconds,
      detail: uncertain
        ? 'The connection to the database broke during the change. It may or may not be saved: read it again before you repeat it.'
        : 'The database does not work right now. Nothing was changed.',
    });
    this.cause = cause;
    this.uncertain = uncertain;
  }
}
