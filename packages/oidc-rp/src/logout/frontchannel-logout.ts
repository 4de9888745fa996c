import type { Configuration } from '../client/configuration.ts';
import { OidcError } from '../errors.ts';
import { type IncomingRequest, readIncoming } from '../http/incoming-request.ts';
import { requireShape, text, webAddress } from '../values/shape.ts';

/**
 * Which session a front-channel logout ends. `session`: look it up by its issuer and `sid`, because the provider's frame gets no
 * cookies where third-party cookies are blocked. `browser`: the one that the cookie names, if any.
 */
export type FrontChannelLogout = { kind: 'session'; issuer: string; sid: string } | { kind: 'browser' };

const sessionId = text(1024);

/**
 * Reads the request that the provider's page makes through a frame (OpenID Connect Front-Channel Logout §2). Issuer and session
 * id come together or not at all.
 *
 * @throws {@link OidcError} `OIDC_LOGOUT_REQUEST`, `OIDC_LOGOUT_ISS`: answer 400 and end nothing
 */
export async function readFrontChannelLogout(
  configuration: Configuration,
  request: IncomingRequest,
): Promise<FrontChannelLogout> {
  const malformed = 'OIDC_LOGOUT_REQUEST';
  const rules = {
    subject: 'frontchannel_logout',
    methods: ['GET'],
    maxBytes: configuration.limits.maxRequestBytes,
    malformed,
    duplicate: malformed,
  } as const;
  const { parameters } = await readIncoming(request, rules);
  const iss = parameters.get('iss');
  const sid = parameters.get('sid');
  if (iss === undefined && sid === undefined && !configuration.frontChannelLogoutSessionRequired) return { kind: 'browser' };
  if (iss === undefined || sid === undefined || sid === '') {
    throw new OidcError(malformed, { check: 'frontchannel_logout', expected: 'iss and sid together' });
  }
  // Anybody can send this. No ID Token has a longer one, and not every store can look for a control character.
  requireShape(sid, 'frontchannel_logout.sid', sessionId, malformed);
  if (!configuration.issuerRule.acceptsBare(iss)) {
    throw new OidcError('OIDC_LOGOUT_ISS', { check: 'frontchannel_logout.iss', expected: configuration.issuer, received: iss });
  }
  return { kind: 'session', issuer: iss, sid };
}

/**
 * Headers for the answer: it must not be cached, and only the provider may frame it. An answer from a cache would end nothing.
 *
 * @example
 * ```ts
 * const logout = await relyingParty.readFrontChannelLogout(request);
 * return new Response(null, { headers: frontChannelLogoutHeaders(relyingParty.issuer) });
 * ```
 * @param issuer the provider's issuer; if its pages have another origin, give that
 * @throws {@link OidcError} `OIDC_CONFIG_INVALID`: the issuer is not a URL
 */
export function frontChannelLogoutHeaders(issuer: string): Record<string, string> {
  requireShape(issuer, 'issuer', webAddress);
  return {
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; frame-ancestors ${new URL(issuer).origin}`,
    'referrer-policy': 'no-referrer',
  };
}
