const timeoutMillis = 20_000;
const slowestBytesPerMilli = 10;
/** Assumed size of an answer that does not state its length. */
const unknownBytes = 10_000_000;

/** Ends a request on a dead connection, which the browser itself would notice only minutes later. */
export class RequestTimeout {
  readonly #ending = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Restarts the timeout, with time for this many bytes on the slowest connection we allow for. NaN when the size is unknown. */
  waitFor(bytesStated: number): void {
    const bytes = Number.isNaN(bytesStated) ? unknownBytes : bytesStated;
    clearTimeout(this.#timer);
    const end = () => this.#ending.abort(new DOMException('No answer came.', 'TimeoutError'));
    this.#timer = setTimeout(end, timeoutMillis + bytes / slowestBytesPerMilli);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
