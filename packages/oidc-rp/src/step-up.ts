import type { SignInRequest } from './authorization-request.ts';
import { OidcError } from './errors.ts';

/** What an API asks for when it wants a stronger or fresher sign-in (RFC 9470): pass it to `startSignIn`. */
export type StepUpRequest = Pick<SignInRequest, 'acrValues' | 'requireAcr' | 'maxAgeSeconds' | 'scopes'>;

const maxHeaderLength = 8192;
// super-linear: of at most 8,192 characters.
const parameter = /([!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~\w-]+))/g;

/**
 * Reads the challenge of an API that refused an access token because the person did not sign in strongly or recently enough (RFC
 * 9470 §3). After the new sign-in, what was demanded is checked.
 *
 * @example
 * ```ts
 * const answer = await fetch(api, { headers: { authorization: `Bearer ${signIn.tokens.accessToken}` } });
 * const stepUp = readStepUpChallenge(answer.headers.get('www-authenticate'));
 * if (stepUp !== undefined) return relyingParty.startSignIn({ ...stepUp, returnTo: '/transfer' });
 * ```
 * @returns undefined when the header is not such a challenge
 * @throws {@link OidcError} `OIDC_STEP_UP` when it is one but cannot be met
 */
export function readStepUpChallenge(header: string | null | undefined): StepUpRequest | undefined {
  if (header === null || header === undefined || header.length > maxHeaderLength || !/\b(?:bearer|dpop)\b/i.test(header))
    return undefined;
  const parameters = new Map(
    [...header.matchAll(parameter)].map(([, name, quoted, plain]) => [name!.toLowerCase(), unquoted(quoted, plain)]),
  );
  if (parameters.get('error') !== 'insufficient_user_authentication') return undefined;
  const acrValues =
    parameters
      .get('acr_values')
      ?.split(' ')
      .filter(value => value !== '') ?? [];
  const maxAge = parameters.get('max_age');
  if (maxAge !== undefined && !/^\d{1,10}$/.test(maxAge))
    throw new OidcError('OIDC_STEP_UP', { check: 'challenge.max_age', expected: 'seconds', received: maxAge });
  const scopes =
    parameters
      .get('scope')
      ?.split(' ')
      .filter(value => value !== '') ?? [];
  return {
    ...(acrValues.length === 0 ? {} : { acrValues, requireAcr: true }),
    ...(maxAge === undefined ? {} : { maxAgeSeconds: Number(maxAge) }),
    ...(scopes.length === 0 ? {} : { scopes }),
  };
}

function unquoted(quoted: string | undefined, plain: string | undefined): string {
  return quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1');
}
