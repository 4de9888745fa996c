import { OidcError } from '../errors.ts';
import type { SignInRequest } from './authorization-request.ts';

/** The demands of an API that wants a stronger or fresher sign-in (RFC 9470): pass it to `startSignIn`. */
export type StepUpRequest = Pick<SignInRequest, 'acrValues' | 'requireAcr' | 'maxAgeSeconds' | 'scopes'>;

const maxHeaderLength = 8192;
const stepUpSchemes: ReadonlySet<string> = new Set(['bearer', 'dpop']);

const gap = /[\s,]*/y;
const word = /[!#$%&'*+.^_`|~\w-]+/y;
const token68 = /[ \t]+[\w.~+/-]+=*(?=[ \t]*(?:,|$))/y;
const assignment = /[ \t]*=[ \t]*/y;
const quotedString = /"((?:[^"\\]|\\.)*)"/y;

/**
 * Reads the challenge of an API that refused an access token because the person did not sign in strongly or recently enough (RFC
 * 9470 §3). The header may hold several challenges: the first that asks for such a sign-in counts. After the new sign-in, what was
 * demanded is checked.
 *
 * @example
 * ```ts
 * const answer = await fetch(api, { headers: { authorization: `Bearer ${signIn.tokens.accessToken}` } });
 * const stepUp = readStepUpChallenge(answer.headers.get('www-authenticate'));
 * if (stepUp !== undefined) return relyingParty.startSignIn({ ...stepUp, returnTo: '/transfer' });
 * ```
 * @returns undefined when the header has no such challenge
 * @throws {@link OidcError} `OIDC_STEP_UP` when it is one but cannot be met
 */
export function readStepUpChallenge(header: string | null | undefined): StepUpRequest | undefined {
  if (header === null || header === undefined || header.length > maxHeaderLength) return undefined;
  const parameters = readChallenges(header).find(
    one => stepUpSchemes.has(one.scheme) && one.parameters.get('error') === 'insufficient_user_authentication',
  )?.parameters;
  if (parameters === undefined) return undefined;
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

interface Challenge {
  readonly scheme: string;
  readonly parameters: Map<string, string>;
}

/**
 * All challenges of a header. Those of several headers come joined by commas, which also separate parameters: a word without `=` begins
 * the next challenge (RFC 9110 §11.6.1). What cannot be read ends the list, and its challenge is left out: half of it would demand less.
 */
function readChallenges(header: string): readonly Challenge[] {
  const challenges: Challenge[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(header);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  while (at < header.length) {
    const isNext = at === 0 || take(gap)?.[0].includes(',') === true;
    if (at === header.length) break;
    const name = take(word)?.[0].toLowerCase();
    if (name === undefined) return challenges.slice(0, -1);
    if (take(assignment) !== null) {
      const value = take(quotedString)?.[1]?.replace(/\\(.)/g, '$1') ?? take(word)?.[0];
      if (value === undefined) return challenges.slice(0, -1);
      challenges.at(-1)?.parameters.set(name, value);
    } else if (isNext) {
      challenges.push({ scheme: name, parameters: new Map() });
      take(token68);
    }
  }
  return challenges;
}
