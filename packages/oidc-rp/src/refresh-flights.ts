import type { Environment } from './environment.ts';
import { OidcError } from './errors.ts';
import { RefreshTurns } from './refresh-turns.ts';

const graceMs = 10_000;
// Longer than a caller waits before it tries again, and than a restart of what serves the keys takes.
const unreadMs = 60_000;
const maxRemembered = 1_000;

interface Flight {
  result: Promise<unknown>;
  /** When the answer is forgotten, milliseconds since 1970. */
  until: number;
  /** Whether somebody has heard from it whether the tokens are good. */
  isRead: boolean;
}

/**
 * Lets one refresh per refresh token run at a time and gives its answer to all who ask for the same meanwhile or shortly after; who asks for
 * something else takes the next turn. With rotation a second use of the old token looks like theft, and the provider would end the session of an honest person
 * who has two tabs. Only the provider's answer is shared: each caller checks it against its own sign-in. An answer that
 * could not be checked, because the keys were out of reach, is the only way on for its session: it is kept for a minute
 * from each such try on, in memory like all the others.
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
   * Runs the work, or joins the run for the same refresh token and the same wishes, and has the answer read.
   *
   * @param asked the refresh token, then what else tells one request from another
   * @param work asks the provider, with the refresh token that is good by then
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
      if (isOutage(error)) flight.until = Math.max(flight.until, this.#clock.now() + unreadMs);
      else this.#wasRead(flight);
      throw error;
    }
  }

  /** Forgets what a refresh token once brought: it was revoked. */
  forget(refreshToken: string): void {
    this.#turns.forget(refreshToken);
    for (const name of this.#flights.keys()) if (JSON.parse(name)[0] === refreshToken) this.#flights.delete(name);
  }

  #start(name: string, refreshToken: string, work: (refreshToken: string) => Promise<unknown>): Flight {
    const flight: Flight = { result: this.#turns.take(refreshToken, work), until: Number.POSITIVE_INFINITY, isRead: false };
    this.#flights.set(name, flight);
    flight.result.then(
      () => {
        flight.until = this.#clock.now() + unreadMs;
      },
      // A failure is not remembered: the next caller may find the provider awake.
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
    // What nobody could read yet goes last: without it the session is lost.
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

// Without the key set an answer is neither good nor bad, however the set's address failed.
function isOutage(error: unknown): boolean {
  return error instanceof OidcError && (error.status === 503 || /^OIDC_(HTTP|JWKS)_/.test(error.code));
}
