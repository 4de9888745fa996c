import { createHash } from 'node:crypto';
import { readCookies, writeCookie } from '../http/cookies.ts';
import { limits } from '../limits.ts';
import { readReturnTo } from '../model/return-to.ts';
import type { Context } from './context.ts';

/** Where a sign-in leads. */
interface Way {
  /** A hash of the handle, which is all that is needed to find it again. */
  readonly sign: string;
  readonly provider: string;
  readonly returnTo: string;
  readonly begunAt: number;
}

const purpose = 'ways back';

/**
 * Remembers for a day where a sign-in leads. What a sign-in under way needs is over after 15 minutes, but people leave the provider's page
 * open over lunch or overnight. The browser keeps it, sealed: anybody can begin any number of sign-ins, and a store would keep them all.
 */
export function keepWay(context: Context, handle: string, provider: string, returnTo: string | undefined): void {
  if (returnTo === undefined || returnTo === '/' || returnTo.length > limits.maxWayLength) return;
  const begunAt = context.parts.now().getTime();
  writeWays(context, [{ sign: signOf(handle), provider, returnTo, begunAt }, ...readWays(context)]);
}

export function findWay(
  context: Context,
  handle: string | undefined,
): (Pick<Way, 'provider' | 'returnTo'> & { readonly isLate: boolean }) | undefined {
  const way = handle === undefined ? undefined : readWays(context).find(({ sign }) => sign === signOf(handle));
  if (way === undefined) return undefined;
  const { provider, begunAt } = way;
  const returnTo = readReturnTo(way.returnTo) ?? '/';
  return { provider, returnTo, isLate: context.parts.now().getTime() - begunAt >= limits.pendingSeconds * 1000 };
}

/** The sign-in has led there. */
export function forgetWay(context: Context, handle: string | undefined): void {
  if (handle === undefined) return;
  const ways = readWays(context);
  const others = ways.filter(({ sign }) => sign !== signOf(handle));
  if (others.length < ways.length) writeWays(context, others);
}

function readWays({ request, state, parts }: Context): Way[] {
  const since = parts.now().getTime() - limits.waySeconds * 1000;
  for (const value of readCookies(request.headers.cookie, state.cookies.ways).slice(0, 3)) {
    const text = parts.pending.sealer.open(value, purpose);
    if (text !== undefined) return (JSON.parse(text) as Way[]).filter(({ begunAt }) => begunAt > since);
  }
  return [];
}

/** The latest of them, as many as fit beside all else that an answer has in its head: some servers in front allow 4 kB. */
function writeWays({ state, parts, cookies }: Context, ways: readonly Way[]): void {
  const { isHttps } = state.config;
  const kept = [...ways];
  while (JSON.stringify(kept).length > limits.maxWaysLength) kept.pop();
  const value = kept.length === 0 ? '' : parts.pending.sealer.seal(JSON.stringify(kept), purpose);
  // A provider that sends a form does so from its own site.
  cookies.push(
    writeCookie(state.cookies.ways, value, { isHttps, crossSite: true, maxAge: kept.length === 0 ? 0 : limits.waySeconds }),
  );
}

function signOf(handle: string): string {
  return createHash('sha256').update(handle).digest('base64url').slice(0, 16);
}
