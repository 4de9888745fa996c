import { createHash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { GateError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { OpaqueToken } from '../model/opaque-token.ts';
import type { OidcDoor } from '../sign-in/oidc.ts';
import { type AcceptedToken, acceptedToken, isBound } from './accepted.ts';
import { SourceBudget } from './source-budget.ts';

/** Limit for accepted and for refused tokens each. */
const maxRemembered = 10_000;

type Flight = Promise<AcceptedToken | undefined>;

/**
 * Providers' answers about opaque access tokens (RFC 7662). Anybody may send us any number of tokens, so the cost to a provider
 * is bounded: one question per token at a time, a limit on concurrent questions per provider, and a budget per source, which
 * accepted tokens do not use up.
 */
export class Introspections {
  readonly #now: () => Date;
  readonly #budget: SourceBudget;
  /** Keyed by the hash of the whole token: part of a token must not stand for another one (CVE-2026-35039). */
  readonly #accepted = new Map<string, Span & { readonly token: AcceptedToken }>();
  /** When each token is refused. Kept apart from the accepted ones, which a flood of invented tokens must not push out. */
  readonly #refused = new Map<string, Span>();
  readonly #inProgress = new Map<string, Flight>();
  /** By provider. */
  readonly #atOnce = new Map<string, number>();

  constructor(now: () => Date) {
    this.#now = now;
    this.#budget = new SourceBudget(now);
  }

  /**
   * @param source the source whose budget a question uses up
   * @returns undefined for a token that the provider does not vouch for, or not for us
   * @throws {@link GateError} `TOKENS_BUSY`, `TOO_MANY_TOKENS`, and whatever `OidcDoor.introspect` throws
   */
  async read(token: string, door: OidcDoor, source: string): Flight {
    const name = createHash('sha256').update(`${door.id} ${token}`).digest('base64url');
    const now = this.#now().getTime();
    const accepted = this.#accepted.get(name);
    if (accepted !== undefined && holds(accepted, now)) return accepted.token;
    if (holds(this.#refused.get(name), now)) return undefined;
    return this.#shared(name, () => this.#askFor(name, token, door, source));
  }

  /**
   * Asks again about an accepted token. The caller limits how often: the question uses up no budget for unknown tokens, and a
   * flood of those does not keep it from being asked.
   */
  async isStillGood({ name, text, subject }: OpaqueToken, door: OidcDoor): Promise<boolean> {
    return (await this.#shared(name, () => this.#ask(name, text, door)))?.identity.subject === subject;
  }

  /** When the provider was last asked about an accepted token; `refused` while a refusal counts; undefined when nothing is remembered. */
  lastAnswerAt({ name }: OpaqueToken): number | 'refused' | undefined {
    if (holds(this.#refused.get(name), this.#now().getTime())) return 'refused';
    return this.#accepted.get(name)?.token.opaque?.askedAt;
  }

  #shared(name: string, ask: () => Flight): Flight {
    let flight = this.#inProgress.get(name);
    if (flight === undefined) {
      flight = ask().finally(() => this.#inProgress.delete(name));
      this.#inProgress.set(name, flight);
    }
    return flight;
  }

  async #askFor(name: string, token: string, door: OidcDoor, source: string): Flight {
    const atOnce = this.#atOnce.get(door.id) ?? 0;
    if (atOnce >= limits.maxIntrospectionsAtOnce) throw new GateError('TOKENS_BUSY');
    if (!this.#budget.take(source)) throw new GateError('TOO_MANY_TOKENS');
    this.#atOnce.set(door.id, atOnce + 1);
    try {
      const found = await this.#ask(name, token, door);
      if (found !== undefined) this.#budget.giveBack(source);
      return found;
    } finally {
      this.#atOnce.set(door.id, (this.#atOnce.get(door.id) ?? 1) - 1);
    }
  }

  async #ask(name: string, text: string, door: OidcDoor): Flight {
    const askedAt = this.#now().getTime();
    const read = readAnswer((await door.introspect(text)) as unknown as Answer, door, this.#now());
    const opaque = read && { name, text, provider: door.id, subject: read.identity.subject, askedAt };
    const found = read && { ...read, opaque };
    this.#remember(name, found, { since: askedAt, until: askedAt + (door.config.accessTokens?.cacheSeconds ?? 0) * 1000 });
    return found;
  }

  #remember(name: string, found: AcceptedToken | undefined, { since, until }: Span): void {
    this.#accepted.delete(name);
    this.#refused.delete(name);
    if (found === undefined) keep(this.#refused, name, { since, until });
    else keep(this.#accepted, name, { token: found, since, until: Math.min(until, found.expiresAt ?? until) });
  }
}

/** When an answer counts, in milliseconds since 1970. */
interface Span {
  readonly since: number;
  readonly until: number;
}

/** Not before its beginning: the clock was set back then, and a revoked token would be accepted for as long as it was wrong. */
function holds(span: Span | undefined, now: number): boolean {
  return span !== undefined && now >= span.since && now < span.until;
}

type Answer = JWTPayload & { active?: boolean };

function readAnswer(claims: Answer, door: OidcDoor, now: Date): AcceptedToken | undefined {
  if (claims.active !== true) return undefined;
  const audiences = claims.aud === undefined ? undefined : [claims.aud].flat();
  const isOurs = audiences === undefined || audiences.includes(door.config.accessTokens?.audience ?? '');
  const isFresh = typeof claims.exp !== 'number' || claims.exp * 1000 > now.getTime();
  if (!isOurs || !isFresh || (claims.iss !== undefined && claims.iss !== door.issuer)) return undefined;
  if (typeof claims.sub !== 'string' || claims.sub === '' || isBound(claims)) return undefined;
  return acceptedToken(door, claims);
}

/** The oldest entry is dropped first. */
function keep<T>(known: Map<string, T>, name: string, value: T): void {
  known.set(name, value);
  for (const [oldest] of known) {
    if (known.size <= maxRemembered) break;
    known.delete(oldest);
  }
}
