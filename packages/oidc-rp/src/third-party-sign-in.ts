import type { Configuration } from './configuration.ts';
import { OidcError } from './errors.ts';
import { type IncomingRequest, readIncoming } from './incoming-request.ts';
import { readReturnTo } from './return-to.ts';

/** A request by a third party that this site start a sign-in (OpenID Connect Core §4). */
export interface ThirdPartySignIn {
  loginHint: string | undefined;
  /** Where to go afterwards, already reduced to a path of this site. */
  returnTo: string | undefined;
}

const maxHintLength = 256;

/**
 * Reads a request to the `initiate_login_uri`. Anybody can send people there: the issuer must be ours and the target a
 * page of this site; start an ordinary sign-in with the result.
 *
 * @param siteOrigin this site's own origin, such as `https://app.example.org`
 * @throws {@link OidcError} `OIDC_INITIATE_LOGIN`
 */
export async function readThirdPartySignIn(
  configuration: Configuration,
  request: IncomingRequest,
  siteOrigin: string,
): Promise<ThirdPartySignIn> {
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
  if (url?.origin !== siteOrigin || url.username !== '') {
    throw new OidcError('OIDC_INITIATE_LOGIN', {
      check: 'initiate_login.target_link_uri',
      expected: `a page of ${siteOrigin}`,
      received: target,
    });
  }
  return readReturnTo(`${url.pathname}${url.search}`);
}
