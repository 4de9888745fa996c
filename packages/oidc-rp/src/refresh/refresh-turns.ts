import type { Environment } from '../environment.ts';

const maxRemembered = 1_000;

/** The result of one use of a refresh token. */
interface Turn {
  /** The token that is valid afterwards: a new one, or the same if the provider does not rotate or refused. */
  newest: Promise<string>;
  /** When this is forgotten, milliseconds since 1970. */
  until: number;
}

/**
 * Sends requests with one refresh token one after the other, each with the token that the previous one returned. Two requests may ask for
 * different things, such as access tokens for two APIs. With rotation, the second use of one refresh token would still end the session
 * (RFC 9700 §4.14.2).
 */
export class RefreshTurns {
  readonly #clock: Pick<Environment, 'now'>;
  readonly #graceMs: number;
  readonly #turns = new Map<string, Turn>();

  /** @param graceMs how long after a use the newer token replaces the used one */
  constructor(clock: Pick<Environment, 'now'>, graceMs: number) {
    this.#clock = clock;
    this.#graceMs = graceMs;
  }

  /** Asks with the newest token that this one led to. @returns the answer, with the refresh token that is valid afterwards */
  async take<T>(refreshToken: string, ask: (newest: string) => Promise<T>): Promise<T> {
    this.#forgetOld();
    let token = refreshToken;
    // A provider may return a token that was used before; then there is no newest one.
    const passed = new Set<string>();
    for (let turn = this.#turns.get(token); turn !== undefined; turn = this.#turns.get(token)) {
      const newest = await turn.newest;
      // If several callers waited for this turn, the first goes next; the others then wait for its turn.
      if (newest === token ? this.#turns.get(token) === turn : passed.has(newest)) break;
      passed.add(token);
      token = newest;
    }
    const asked = ask(token);
    this.#begin(token, asked);
    const answer = await asked;
    return isTokens(answer) && answer.refreshToken === undefined ? { ...answer, refreshToken: token } : answer;
  }

  /** Forgets what a revoked refresh token led to. @returns the token that is valid in its place, if a use of it brought one */
  async forget(refreshToken: string): Promise<string | undefined> {
    const turn = this.#turns.get(refreshToken);
    this.#turns.delete(refreshToken);
    const newest = await turn?.newest;
    if (newest === undefined || newest === refreshToken) return undefined;
    return (await this.forget(newest)) ?? newest;
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

/** The refresh token in an answer. */
export function broughtBy(answer: unknown): string | undefined {
  return isTokens(answer) ? answer.refreshToken : undefined;
}
