import type { Configuration } from './configuration.ts';
import { type Environment, nowSeconds } from './environment.ts';
import { OidcError } from './errors.ts';
import { type IdTokenRules, validateIdToken } from './id-token.ts';
import type { SignIn } from './sign-in.ts';
import { requestTokens, type TokenSet } from './token-request.ts';

/** What a refresh needs of the sign-in that it renews. */
export type Refreshable = Pick<SignIn, 'identity' | 'claims' | 'tokens'>;

/**
 * Uses the refresh token once and re-checks what comes: a new ID Token must speak of the same sign-in (OpenID Connect
 * Core §12.2). Without a new ID Token the old claims stand.
 */
export async function refreshTokens<T extends Refreshable>(
  configuration: Configuration,
  tokenEndpoint: URL,
  rules: IdTokenRules,
  signIn: T,
): Promise<T> {
  const { refreshToken } = signIn.tokens;
  if (refreshToken === undefined)
    throw new OidcError('OIDC_REFRESH_REFUSED', { check: 'refresh_token', expected: 'a refresh token', received: 'none' });
  const fresh = await requestTokens(configuration, tokenEndpoint, {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
  }).catch(asRefusal);
  const claims =
    fresh.idToken === undefined
      ? signIn.claims
      : await recheckedClaims(fresh as TokenSet & { idToken: string }, rules, signIn, configuration);
  // A provider that does not rotate sends no new refresh token: the old one stays.
  return { ...signIn, claims, tokens: { ...signIn.tokens, ...fresh } };
}

async function recheckedClaims(
  fresh: TokenSet & { idToken: string },
  rules: IdTokenRules,
  before: Refreshable,
  configuration: Configuration,
) {
  const { nonce } = before.claims;
  const claims = await validateIdToken(fresh.idToken, rules, {
    nonce: nonce === undefined ? undefined : { value: nonce, when: 'if-present' },
    accessToken: fresh.accessToken,
    now: nowSeconds(configuration.environment),
  });
  const changed = changedClaim(before.claims, claims);
  if (changed !== undefined)
    throw new OidcError('OIDC_REFRESH_IDENTITY', { check: `id_token.${changed}`, expected: 'as at sign-in' });
  return claims;
}

function changedClaim(before: SignIn['claims'], after: SignIn['claims']): string | undefined {
  if (after.iss !== before.iss) return 'iss';
  if (after.sub !== before.sub) return 'sub';
  if (!sameAudience(before.aud, after.aud)) return 'aud';
  if (after.azp !== before.azp && after.azp !== undefined) return 'azp';
  // A different time of authentication is a different sign-in, with checks that this one never saw.
  return after.auth_time !== undefined && before.auth_time !== undefined && after.auth_time !== before.auth_time
    ? 'auth_time'
    : undefined;
}

function sameAudience(before: string | string[], after: string | string[]): boolean {
  const sorted = (audience: string | string[]) => JSON.stringify([audience].flat().sort());
  return sorted(before) === sorted(after);
}

function asRefusal(error: unknown): never {
  if (error instanceof OidcError && error.providerError === 'invalid_grant') {
    const { providerError, providerDescription = '' } = error;
    throw new OidcError('OIDC_REFRESH_REFUSED', { check: 'refresh_token', providerError, providerDescription, cause: error });
  }
  throw error;
}

const graceMs = 10_000;
const maxRemembered = 1_000;

/**
 * Lets one refresh per refresh token run at a time and gives its result to all who ask meanwhile or shortly after. With
 * rotation a second use of the old token looks like theft, and the provider would end the session of an honest person
 * who has two tabs.
 */
export class RefreshFlights {
  readonly #clock: Pick<Environment, 'now'>;
  readonly #flights = new Map<string, { result: Promise<unknown>; until: number }>();

  constructor(clock: Pick<Environment, 'now'>) {
    this.#clock = clock;
  }

  /** Runs the work, or joins the run for the same refresh token. */
  async run<T>(refreshToken: string, work: () => Promise<T>): Promise<T> {
    this.#forgetOld();
    const known = this.#flights.get(refreshToken);
    if (known !== undefined) return known.result as Promise<T>;
    const flight = { result: work(), until: Number.POSITIVE_INFINITY };
    this.#flights.set(refreshToken, flight);
    try {
      return await flight.result;
    } catch (error) {
      // A failure is not remembered: the next caller may find the provider awake.
      this.#flights.delete(refreshToken);
      throw error;
    } finally {
      flight.until = this.#clock.now() + graceMs;
    }
  }

  #forgetOld(): void {
    const now = this.#clock.now();
    for (const [token, flight] of this.#flights) {
      const surplus = this.#flights.size > maxRemembered && flight.until !== Number.POSITIVE_INFINITY;
      if (flight.until <= now || surplus) this.#flights.delete(token);
    }
  }
}
