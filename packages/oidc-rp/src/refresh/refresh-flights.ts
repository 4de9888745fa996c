import type { Environment } from '../environment.ts';
import { OidcError } from '../errors.ts';
import { broughtBy, RefreshTurns } from './refresh-turns.ts';

const graceMs = 10_000;
// Longer than a caller waits before it tries again, and longer than a restart of the server that publishes the keys takes.
const unreadMs = 60_000;
const maxRemembered = 1_000;

interface Flight {
  result: Promise<unknown>;
  /** When the answer is forgotten, milliseconds since 1970. */
  until: number;
  /** Whether a caller has found out from the answer if the tokens are valid. */
  isRead: boolean;
  /** Whether a caller could not, because the keys were unavailable. */
  hasWaited: boolean;
}

/**
 * Lets only one refresh per refresh token run at a time, and gives its answer to all callers that ask for the same meanwhile or shortly
 * after; callers that ask for something else take turns. With rotation, a second use of the old token looks like theft, and the provider
 * would end the session of an honest person who has two tabs. Only the provider's answer is shared: each caller checks it against its own
 * sign-in. An answer that could not be checked because the keys were unavailable is the only way for its session to continue: it is kept
 * in memory for a minute after each such try. If its ID Token expires meanwhile, its refresh token brings another one.
 */
export class RefreshFlights {
  readonly #clock: Pick<Environment, 'now'>;
  readonly #flights = new Map<string, Flight>();
  readonly #turns: RefreshTurns;

  constructor(clock: Pick<Environment, 'now'>) {
    this.#clock = clock;
    this.#turns = new RefreshTurns(clock, graceMs);
  }

  /**
   * Does the work, or joins the run for the same refresh token and the same request, and has the answer read.
   *
   * @param asked the refresh token, then whatever else distinguishes requests
   * @param work asks the provider, with the refresh token that is valid by then
   * @param read checks the answer, which is a copy for this caller alone
   */
  async run<T, R>(
    asked: readonly [refreshToken: string, ...wishes: unknown[]],
    work: (refreshToken: string) => Promise<T>,
    read: (answer: T) => Promise<R>,
  ): Promise<R> {
    const name = JSON.stringify(asked);
    this.#forgetOld();
    const flight = this.#flights.get(name) ?? this.#start(name, asked[0], work);
    const answer = structuredClone((await flight.result) as T);
    try {
      const result = await read(answer);
      this.#wasRead(flight);
      return result;
    } catch (error) {
      const newest = broughtBy(answer);
      if (flight.hasWaited && isTooLate(error) && newest !== undefined) {
        // The first of several callers asks again. A new answer has not waited, so this ends.
        if ((this.#flights.get(name) ?? flight) === flight) this.#start(name, newest, work);
        return this.run(asked, work, read);
      }
      if (isOutage(error)) this.#mustWait(flight);
      else this.#wasRead(flight);
      throw error;
    }
  }

  #mustWait(flight: Flight): void {
    flight.hasWaited = true;
    flight.until = Math.max(flight.until, this.#clock.now() + unreadMs);
  }

  /** Forgets the answers to a refresh token that is revoked. @returns the token that is valid in its place, if a refresh brought one */
  forget(refreshToken: string): Promise<string | undefined> {
    for (const name of this.#flights.keys()) if (JSON.parse(name)[0] === refreshToken) this.#flights.delete(name);
    return this.#turns.forget(refreshToken);
  }

  #start(name: string, refreshToken: string, work: (refreshToken: string) => Promise<unknown>): Flight {
    const result = this.#turns.take(refreshToken, work);
    const flight: Flight = { result, until: Number.POSITIVE_INFINITY, isRead: false, hasWaited: false };
    this.#flights.set(name, flight);
    flight.result.then(
      () => {
        flight.until = this.#clock.now() + unreadMs;
      },
      // A failure is not remembered: the next caller may find the provider available.
      () => {
        if (this.#flights.get(name) === flight) this.#flights.delete(name);
      },
    );
    return flight;
  }

  #wasRead(flight: Flight): void {
    if (flight.isRead) return;
    flight.isRead = true;
    flight.until = this.#clock.now() + graceMs;
  }

  #forgetOld(): void {
    const now = this.#clock.now();
    for (const [name, { until }] of this.#flights) if (until <= now) this.#flights.delete(name);
    // Answers that nobody could read yet are dropped last: without them the session is lost.
    this.#forgetSurplus(flight => flight.isRead);
    this.#forgetSurplus(flight => flight.until !== Number.POSITIVE_INFINITY);
  }

  #forgetSurplus(mayGo: (flight: Flight) => boolean): void {
    for (const [name, flight] of this.#flights) {
      if (this.#flights.size <= maxRemembered) return;
      if (mayGo(flight)) this.#flights.delete(name);
    }
  }
}

// The ID Token in an answer that had to wait for keys may have expired. The refresh token beside it has not.
function isTooLate(error: unknown): boolean {
  return error instanceof OidcError && error.code === 'OIDC_TOKEN_EXPIRED';
}

// Without the key set an answer is neither good nor bad, however fetching the set failed.
function isOutage(error: unknown): boolean {
  return error instanceof OidcError && (error.status === 503 || /^OIDC_(HTTP|JWKS)_/.test(error.code));
}
