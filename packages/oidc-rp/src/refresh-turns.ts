import type { Environment } from './environment.ts';

const maxRemembered = 1_000;

/** What became of a refresh token. */
interface Turn {
  /** The one that is good after it: another one, or the same where the provider does not rotate or refused. */
  newest: Promise<string>;
  /** When that is forgotten, milliseconds since 1970. */
  until: number;
}

/**
 * Lets requests with one refresh token go one after the other, each with the token that the one before brought. Two requests may well want
 * different things, such as access tokens for two APIs; with rotation the second use of one refresh token would end the session all the same
 * (RFC 9700 §4.14.2).
 */
export class RefreshTurns {
  readonly #clock: Pick<Environment, 'now'>;
  readonly #graceMs: number;
  readonly #turns = new Map<string, Turn>();

  /** @param graceMs for how long after a use the newer token stands in for the used one */
  constructor(clock: Pick<Environment, 'now'>, graceMs: number) {
    this.#clock = clock;
    this.#graceMs = graceMs;
  }

  /** Asks with the newest token that this one led to. @returns the answer, which holds the token that is good after it */
  async take<T>(refreshToken: string, ask: (newest: string) => Promise<T>): Promise<T> {
    this.#forgetOld();
    let token = refreshToken;
    // A provider may give a token again that was used before: then there is no newest one.
    const passed = new Set<string>();
    for (let turn = this.#turns.get(token); turn !== undefined; turn = this.#turns.get(token)) {
      const newest = await turn.newest;
      // Of several who waited for one turn the first one is next.
      if (newest === token ? this.#turns.get(token) === turn : passed.has(newest)) break;
      passed.add(token);
      token = newest;
    }
    const asked = ask(token);
    this.#begin(token, asked);
    const answer = await asked;
    return isTokens(answer) && answer.refreshToken === undefined ? { ...answer, refreshToken: token } : answer;
  }

  /** Forgets what a refresh token led to: it was revoked. */
  forget(refreshToken: string): void {
    this.#turns.delete(refreshToken);
  }

  #begin(token: string, asked: Promise<unknown>): void {
    const turn: Turn = {
      newest: asked.then(answer => broughtBy(answer) ?? token).catch(() => token),
      until: Number.POSITIVE_INFINITY,
    };
    this.#turns.delete(token);
    this.#turns.set(token, turn);
    void turn.newest.then(() => {
      turn.until = this.#clock.now() + this.#graceMs;
    });
  }

  #forgetOld(): void {
    const now = this.#clock.now();
    for (const [token, { until }] of this.#turns) {
      const isSurplus = this.#turns.size > maxRemembered && until !== Number.POSITIVE_INFINITY;
      if (until <= now || isSurplus) this.#turns.delete(token);
    }
  }
}

function isTokens(answer: unknown): answer is { refreshToken?: string } {
  return typeof answer === 'object' && answer !== null;
}

function broughtBy(answer: unknown): string | undefined {
  return isTokens(answer) ? answer.refreshToken : undefined;
}
