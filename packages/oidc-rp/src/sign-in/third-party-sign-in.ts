import type { Configuration } from '../client/configuration.ts';
import { OidcError } from '../errors.ts';
import { type IncomingRequest, readIncoming } from '../http/incoming-request.ts';
import { readReturnTo } from '../http/return-to.ts';
import { requireShape, that } from '../values/shape.ts';

/** A request by a third party to start a sign-in at this site (OpenID Connect Core §4). */
export interface ThirdPartySignIn {
  loginHint: string | undefined;
  /** Where to go afterwards, already reduced to a path of this site. */
  returnTo: string | undefined;
}

const maxHintLength = 256;
// With a trailing slash it would never match, and `null` is the origin of everything that has none.
const origin = that(
  'an origin, such as https://app.example.org',
  value => typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value,
);

/**
 * Reads a request to the `initiate_login_uri`. Anybody can send people there, so the issuer must be ours and the target a page of
 * this site; start an ordinary sign-in with the result.
 *
 * @param siteOrigin this site's own origin, such as `https://app.example.org`
 * @throws {@link OidcError} `OIDC_INITIATE_LOGIN`; `OIDC_CONFIG_INVALID` when `siteOrigin` is not an origin
 */
export async function readThirdPartySignIn(
  configuration: Configuration,
  request: IncomingRequest,
  siteOrigin: string,
): Promise<ThirdPartySignIn> {
  requireShape(siteOrigin, 'siteOrigin', origin);
  const code = 'OIDC_INITIATE_LOGIN';
  const rules = {
    subject: 'initiate_login',
    methods: ['GET', 'POST'],
    maxBytes: configuration.limits.maxRequestBytes,
    malformed: code,
    duplicate: code,
  } as const;
  const { parameters } = await readIncoming(request, rules);
  const iss = parameters.get('iss');
  if (iss === undefined || (iss !== configuration.issuer && !configuration.issuerRule.acceptsBare(iss)))
    throw new OidcError(code, { check: 'initiate_login.iss', expected: configuration.issuer, received: iss ?? 'none' });
  const loginHint = parameters.get('login_hint');
  if (loginHint !== undefined && loginHint.length > maxHintLength) {
    throw new OidcError(code, { check: 'initiate_login.login_hint', expected: `at most ${maxHintLength} characters` });
  }
  return { loginHint, returnTo: readTarget(parameters.get('target_link_uri'), siteOrigin) };
}

function readTarget(target: string | undefined, siteOrigin: string): string | undefined {
  if (target === undefined) return undefined;
  const url = URL.canParse(target) ? new URL(target) : undefined;
  const path = url?.origin === siteOrigin && url.username === '' ? pathOf(url) : undefined;
  if (path === undefined) {
    throw new OidcError('OIDC_INITIATE_LOGIN', {
      check: 'initiate_login.target_link_uri',
      expected: `a page of ${siteOrigin}`,
      received: target,
    });
  }
  return path;
}

// `https://app.example.org//evil.example` is a page of this site, but its path is the address of another one.
function pathOf(url: URL): string | undefined {
  try {
    return readReturnTo(`${url.pathname}${url.search}`);
  } catch {
    return undefined;
  }
}
