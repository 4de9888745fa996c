import type { Limits } from '../limits.ts';

/**
 * How long an answer of the provider may be cached (RFC 9111 §4.2.1): its `max-age` minus its `Age`, within the bounds of the
 * limits. `no-store` and `no-cache` mean the minimum; an answer without any of these, the default.
 */
export function cacheSeconds(
  headers: Headers,
  defaultSeconds: number,
  limits: Pick<Limits, 'minCacheSeconds' | 'maxCacheSeconds'>,
): number {
  const directives = (headers.get('cache-control') ?? '')
    .toLowerCase()
    .split(',')
    .map(directive => directive.trim());
  if (directives.includes('no-store') || directives.includes('no-cache')) return limits.minCacheSeconds;
  const age = directives.map(directive => /^max-age="?(\d{1,10})"?$/.exec(directive)?.[1]).find(seconds => seconds !== undefined);
  if (age === undefined) return defaultSeconds;
  const spent = /^\d{1,10}$/.test(headers.get('age') ?? '') ? Number(headers.get('age')) : 0;
  return Math.min(Math.max(Number(age) - spent, limits.minCacheSeconds), limits.maxCacheSeconds);
}
