const timeoutMillis = 20_000;
const slowestBytesPerMilli = 10;
/** Assumed for an answer that does not say how long it is. */
const unknownBytes = 10_000_000;

/** A line that is dead without saying so would otherwise be waited for until the browser gives up, minutes later. */
export class RequestTimeout {
  readonly #ending = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** From now on, as long as this many bytes take on the slowest line that counts; NaN where nobody says how many. */
  waitFor(said: number): void {
    const bytes = Number.isNaN(said) ? unknownBytes : said;
    clearTimeout(this.#timer);
    const end = () => this.#ending.abort(new DOMException('No answer came.', 'TimeoutError'));
    this.#timer = setTimeout(end, timeoutMillis + bytes / slowestBytesPerMilli);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
