import type { Environment } from './environment.ts';

const graceMs = 10_000;
const maxRemembered = 1_000;

/**
 * Lets one refresh per refresh token run at a time and gives its answer to all who ask meanwhile or shortly after. With
 * rotation a second use of the old token looks like theft, and the provider would end the session of an honest person
 * who has two tabs. Only the provider's answer is shared: each caller checks it against its own sign-in.
 */
export class RefreshFlights {
  readonly #clock: Pick<Environment, 'now'>;
  readonly #flights = new Map<string, { result: Promise<unknown>; until: number }>();

  constructor(clock: Pick<Environment, 'now'>) {
    this.#clock = clock;
  }

  /**
   * Runs the work, or joins the run for the same refresh token and the same wishes.
   *
   * @param asked the refresh token, then what else tells one request from another
   */
  async run<T>(asked: readonly [refreshToken: string, ...wishes: unknown[]], work: () => Promise<T>): Promise<T> {
    const name = JSON.stringify(asked);
    this.#forgetOld();
    const known = this.#flights.get(name);
    if (known !== undefined) return structuredClone((await known.result) as T);
    const flight = { result: work(), until: Number.POSITIVE_INFINITY };
    this.#flights.set(name, flight);
    try {
      return structuredClone(await flight.result);
    } catch (error) {
      // A failure is not remembered: the next caller may find the provider awake.
      this.#flights.delete(name);
      throw error;
    } finally {
      flight.until = this.#clock.now() + graceMs;
    }
  }

  /** Forgets what a refresh token once brought: it was revoked. */
  forget(refreshToken: string): void {
    for (const name of this.#flights.keys()) if (JSON.parse(name)[0] === refreshToken) this.#flights.delete(name);
  }

  #forgetOld(): void {
    const now = this.#clock.now();
    for (const [name, flight] of this.#flights) {
      const surplus = this.#flights.size > maxRemembered && flight.until !== Number.POSITIVE_INFINITY;
      if (flight.until <= now || surplus) this.#flights.delete(name);
    }
  }
}
