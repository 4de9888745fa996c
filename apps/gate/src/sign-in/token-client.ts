import type { SamlProviderConfig } from '../config/config.ts';

type TokenExchange = NonNullable<SamlProviderConfig['tokenExchange']>;

/** How the gate authenticates to the authorization server. */
function clientOf({ clientId, clientSecret }: TokenExchange) {
  return {
    timeoutSeconds: 5,
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
  };
}

/** The same at its token endpoint. */
export function tokenClientOf(exchange: TokenExchange) {
  const { tokenEndpoint, scope } = exchange;
  return { ...clientOf(exchange), tokenEndpoint, ...(scope === undefined ? {} : { scope }) };
}

/** The same where tokens are revoked, if that is known. */
export function revocationClientOf(exchange: TokenExchange) {
  const { revocationEndpoint } = exchange;
  return revocationEndpoint === undefined ? undefined : { ...clientOf(exchange), revocationEndpoint };
}

/** An access token that a session keeps. */
export interface KeptToken {
  readonly value: string;
  readonly until?: number;
  readonly refreshToken?: string;
  /** When to renew the token; undefined when that is not possible. */
  readonly renewAt?: number;
}

export function isOver({ until }: KeptToken, now: Date): boolean {
  return until !== undefined && until <= now.getTime();
}

/** A token is renewed this long before it expires, or halfway through a shorter life. */
const renewBeforeMs = 120_000;
const leastBetweenMs = 10_000;

export function keepToken(
  {
    accessToken,
    expiresIn,
    refreshToken,
  }: {
    readonly accessToken: string;
    readonly expiresIn: number | undefined;
    readonly refreshToken: string | undefined;
  },
  now: number,
): KeptToken {
  if (expiresIn === undefined) return { value: accessToken };
  const lifeMs = expiresIn * 1000;
  const until = now + lifeMs;
  if (refreshToken === undefined) return { value: accessToken, until };
  // A server whose tokens are very short-lived must not be asked at every request.
  const renewAt = Math.max(until - Math.min(renewBeforeMs, lifeMs / 2), now + leastBetweenMs);
  return { value: accessToken, until, refreshToken, renewAt };
}
