import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { GateError } from '../errors.ts';

const timeoutMs = 5_000;
/** Between two fetches that tokens with unknown keys cause, and after one that failed. */
const cooldownMs = 2_000;
const freshMs = 600_000;
/** As @octavo/oidc-rp keeps them for sign-ins. */
const maxStaleMs = 86_400_000;

/**
 * The published keys of a provider, for its access tokens. While the key set is out of reach those at hand stay in use, for a day at most, and whatever
 * tokens come, it is asked again every two seconds only. @throws {@link GateError} `PROVIDER_DOWN` where the key set might know the key
 */
export function providerKeys(url: URL): JWTVerifyGetKey {
  const published = createRemoteJWKSet(url, { timeoutDuration: timeoutMs, cooldownDuration: cooldownMs, cacheMaxAge: freshMs });
  let failed: { readonly at: number; readonly error: unknown } | undefined;
  let loadedAt = 0;
  const findAtHand: JWTVerifyGetKey = async (header, token) => {
    const keys = Date.now() - loadedAt < freshMs + maxStaleMs ? published.jwks() : undefined;
    const found = await (keys && createLocalJWKSet(keys)(header, token).catch(orNone));
    if (found === undefined) throw new GateError('PROVIDER_DOWN', undefined, { cause: failed?.error });
    return found;
  };
  return async (header, token) => {
    if (failed !== undefined && Date.now() - failed.at < cooldownMs) return findAtHand(header, token);
    try {
      const key = await published(header, token);
      [failed, loadedAt] = [undefined, Date.now()];
      return key;
    } catch (error) {
      if (isAnswer(error)) throw error;
      failed = { at: Date.now(), error };
      return findAtHand(header, token);
    }
  };
}

/** What the key set says itself: it was reached. */
function isAnswer(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

function orNone(error: unknown): undefined {
  if (error instanceof errors.JWKSNoMatchingKey) return undefined;
  throw error;
}
