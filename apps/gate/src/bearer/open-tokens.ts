import { limits } from '../limits.ts';
import type { OpaqueToken } from '../model/opaque-token.ts';
import type { AccessTokens } from './access-tokens.ts';

/** What the streams that are open say of one token, and what became of asking about it. */
interface Watched {
  readonly token: OpaqueToken;
  /** For the answer that counts, in milliseconds since 1970. */
  askedAt: number;
  /** Since when it could not be asked about though it was due. */
  waitsSince: number | undefined;
  isAsking: boolean;
}

/** What a provider is asked at the moment. */
interface Questions {
  underWay: number;
  /** When the last one that failed was asked. */
  failedAt: number;
}

export interface OpenTokensParts {
  readonly now: () => Date;
  /** Ends what the token opened. */
  readonly end: (token: OpaqueToken, why: 'refused' | 'unconfirmed') => void;
}

/**
 * Opaque access tokens behind open streams. A request is judged when it comes; a WebSocket may be open for hours, and its token be revoked meanwhile. So
 * the provider is asked again, once for all streams of a token, whenever its last answer has ceased to count. One that cannot be asked ends nothing
 * at once, and lets nothing go on for ever.
 */
export class OpenTokens {
  readonly #parts: OpenTokensParts;
  readonly #watched = new Map<string, Watched>();
  readonly #questions = new Map<string, Questions>();

  constructor(parts: OpenTokensParts) {
    this.#parts = parts;
  }

  /** One look at the tokens of what is open now, by their names. Questions go on after it. */
  look(open: ReadonlyMap<string, OpaqueToken>, tokens: AccessTokens): void {
    for (const name of this.#watched.keys()) if (!open.has(name)) this.#watched.delete(name);
    for (const [name, token] of open) {
      const { askedAt } = token;
      if (!this.#watched.has(name)) this.#watched.set(name, { token, askedAt, waitsSince: undefined, isAsking: false });
    }
    for (const watched of this.#watched.values()) this.#lookAt(watched, tokens);
  }

  #lookAt(watched: Watched, tokens: AccessTokens): void {
    const { token } = watched;
    const now = this.#parts.now().getTime();
    // A request that brought the token may have heard more than we did.
    const said = tokens.lastSaid(token);
    if (said === 'refused') {
      this.#end(watched, 'refused');
      return;
    }
    if (said !== undefined) watched.askedAt = Math.max(watched.askedAt, said);
    if (isBetween(now, watched.askedAt, intervalMs(token, tokens))) {
      watched.waitsSince = undefined;
      return;
    }
    // From when it was noticed: a machine that slept for an hour asks before it ends anything.
    watched.waitsSince = Math.min(now, watched.waitsSince ?? now);
    if (now >= watched.waitsSince + limits.unconfirmedTokenMs) this.#end(watched, 'unconfirmed');
    else if (!watched.isAsking) this.#askIfFree(watched, tokens, now);
  }

  #askIfFree(watched: Watched, tokens: AccessTokens, now: number): void {
    const questions = this.#questionsTo(watched.token.provider);
    const isPaused = isBetween(now, questions.failedAt, limits.openTokenEveryMs);
    if (questions.underWay < limits.maxQuestionsAboutOpenTokens && !isPaused) void this.#ask(watched, tokens, questions);
  }

  async #ask(watched: Watched, tokens: AccessTokens, questions: Questions): Promise<void> {
    const { token } = watched;
    const askedAt = this.#parts.now().getTime();
    watched.isAsking = true;
    questions.underWay += 1;
    try {
      const isGood = await tokens.isStillGood(token);
      // Whoever closed and came again meanwhile has been asked about anew.
      if (this.#watched.get(token.name) !== watched) return;
      if (!isGood) this.#end(watched, 'refused');
      watched.askedAt = askedAt;
      watched.waitsSince = undefined;
    } catch {
      questions.failedAt = askedAt;
    } finally {
      watched.isAsking = false;
      questions.underWay -= 1;
    }
  }

  #end({ token }: Watched, why: 'refused' | 'unconfirmed'): void {
    this.#watched.delete(token.name);
    this.#parts.end(token, why);
  }

  #questionsTo(provider: string): Questions {
    let questions = this.#questions.get(provider);
    if (questions === undefined) {
      questions = { underWay: 0, failedAt: 0 };
      this.#questions.set(provider, questions);
    }
    return questions;
  }
}

/** Within so many milliseconds after that. A clock that was set back is not: nothing waits for as long as it was wrong. */
function isBetween(now: number, since: number, forMs: number): boolean {
  return now >= since && now < since + forMs;
}

/** As long as an answer counts for requests, so that a stream hears no later than they do; but no provider is asked all the time. */
function intervalMs({ provider }: OpaqueToken, tokens: AccessTokens): number {
  return Math.max(tokens.cacheMs(provider), limits.openTokenEveryMs);
}
