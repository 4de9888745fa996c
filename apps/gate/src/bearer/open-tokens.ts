import { limits } from '../limits.ts';
import type { OpaqueToken } from '../model/opaque-token.ts';
import type { AccessTokens } from './access-tokens.ts';

/** One token behind open streams, and the state of the questions about it. */
interface Watched {
  readonly token: OpaqueToken;
  /** When the answer that counts was asked for, in milliseconds since 1970. */
  askedAt: number;
  /** Since when a question has been due without success. */
  waitsSince: number | undefined;
  isAsking: boolean;
}

/** The questions to one provider at the moment. */
interface Questions {
  inProgress: number;
  /** When the last question that failed was asked. */
  failedAt: number;
}

export interface OpenTokensParts {
  readonly now: () => Date;
  /** Closes what the token opened. */
  readonly end: (token: OpaqueToken, why: 'refused' | 'unconfirmed') => void;
}

/**
 * Opaque access tokens behind open streams. A request is authorized when it arrives, but a WebSocket may stay open for hours and
 * its token be revoked meanwhile. So the provider is asked again, once for all streams of a token, whenever its last answer
 * expires. A provider that cannot be asked does not close streams at once, but does not keep them open forever either.
 */
export class OpenTokens {
  readonly #parts: OpenTokensParts;
  readonly #watched = new Map<string, Watched>();
  readonly #questions = new Map<string, Questions>();

  constructor(parts: OpenTokensParts) {
    this.#parts = parts;
  }

  /** Checks the tokens behind open streams, keyed by name. Questions to providers continue after it returns. */
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
    // A request with this token may have got a newer answer.
    const answerAt = tokens.lastAnswerAt(token);
    if (answerAt === 'refused') {
      this.#end(watched, 'refused');
      return;
    }
    if (answerAt !== undefined) watched.askedAt = Math.max(watched.askedAt, answerAt);
    if (isBetween(now, watched.askedAt, intervalMs(token, tokens))) {
      watched.waitsSince = undefined;
      return;
    }
    // The time counts from when it was noticed: a machine that slept for an hour asks before it closes anything.
    watched.waitsSince = Math.min(now, watched.waitsSince ?? now);
    if (now >= watched.waitsSince + limits.unconfirmedTokenMs) this.#end(watched, 'unconfirmed');
    else if (!watched.isAsking) this.#askIfFree(watched, tokens, now);
  }

  #askIfFree(watched: Watched, tokens: AccessTokens, now: number): void {
    const questions = this.#questionsTo(watched.token.provider);
    const isPaused = isBetween(now, questions.failedAt, limits.openTokenEveryMs);
    if (questions.inProgress < limits.maxQuestionsAboutOpenTokens && !isPaused) void this.#ask(watched, tokens, questions);
  }

  async #ask(watched: Watched, tokens: AccessTokens, questions: Questions): Promise<void> {
    const { token } = watched;
    const askedAt = this.#parts.now().getTime();
    watched.isAsking = true;
    questions.inProgress += 1;
    try {
      const isGood = await tokens.isStillGood(token);
      // The token's streams closed and new ones opened meanwhile: those have their own entry.
      if (this.#watched.get(token.name) !== watched) return;
      if (!isGood) this.#end(watched, 'refused');
      watched.askedAt = askedAt;
      watched.waitsSince = undefined;
    } catch {
      questions.failedAt = askedAt;
    } finally {
      watched.isAsking = false;
      questions.inProgress -= 1;
    }
  }

  #end({ token }: Watched, why: 'refused' | 'unconfirmed'): void {
    this.#watched.delete(token.name);
    this.#parts.end(token, why);
  }

  #questionsTo(provider: string): Questions {
    let questions = this.#questions.get(provider);
    if (questions === undefined) {
      questions = { inProgress: 0, failedAt: 0 };
      this.#questions.set(provider, questions);
    }
    return questions;
  }
}

/**
 * Whether `now` is less than `forMs` milliseconds after `since`. False when the clock was set back, so nothing waits for as long
 * as it was wrong.
 */
function isBetween(now: number, since: number, forMs: number): boolean {
  return now >= since && now < since + forMs;
}

/**
 * As long as an answer counts for requests, so a stream learns of a revocation no later than they do, but with a minimum that
 * spares the provider.
 */
function intervalMs({ provider }: OpaqueToken, tokens: AccessTokens): number {
  return Math.max(tokens.cacheMs(provider), limits.openTokenEveryMs);
}
