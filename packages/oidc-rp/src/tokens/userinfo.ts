import type { Configuration } from '../client/configuration.ts';
import { nowSeconds } from '../environment.ts';
import { OidcError } from '../errors.ts';
import { exchange, type HttpAnswer, readJsonAnswer, requireStatus } from '../http/http.ts';
import type { KeySource } from '../keys/jwks.ts';
import { readCompactJws, verifyJws } from '../keys/jws.ts';
import type { JsonObject } from '../values/json.ts';
import { type Check, having, must, requireShape, text, that } from '../values/shape.ts';
import { checkAudience, checkExpiry, checkIssuer, checkNotBefore } from './claim-checks.ts';
import { type IdTokenClaims, ownerShape, type PersonClaims } from './claims.ts';

/** The UserInfo endpoint's claims about the person who signed in. */
export type UserInfo = PersonClaims & { sub: string };

// The UserInfo endpoint cannot change what the sign-in itself established.
const protocolClaims: ReadonlySet<string> = new Set([
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'nbf',
  'nonce',
  'azp',
  'auth_time',
  'acr',
  'amr',
  'sid',
  'at_hash',
  'c_hash',
  's_hash',
  'jti',
  'events',
]);

const subject = text(255);
// A line break would inject headers.
const token = that(
  '1 to 65536 characters of printable ASCII',
  value => typeof value === 'string' && value.length <= 65_536 && /^[\x21-\x7e]+$/.test(value),
);
const asker: Check = (value, path) => {
  const { identity, tokens } = (value ?? {}) as { identity?: { subject?: unknown }; tokens?: { accessToken?: unknown } };
  return subject(identity?.subject, `${path}.identity.subject`) ?? token(tokens?.accessToken, `${path}.tokens.accessToken`);
};

/** Refuses a stored sign-in that came back without its person or its access token. Other members that the caller added are allowed. */
export function requireAsker(signIn: unknown): void {
  requireShape(signIn, 'signIn', asker);
}

/**
 * Asks the UserInfo endpoint (OpenID Connect Core §5.3), plain or signed. A response about anyone other than the person of the ID
 * Token is discarded: an access token may have been swapped.
 *
 * @throws {@link OidcError} `OIDC_USERINFO_SUB`, `OIDC_USERINFO_UNAUTHORIZED`, `OIDC_USERINFO_UNSIGNED`, `OIDC_JWT_…`, `OIDC_HTTP_…`
 */
export async function fetchUserInfo(
  configuration: Configuration,
  endpoint: URL,
  keys: KeySource,
  accessToken: string,
  subject: string,
): Promise<UserInfo> {
  const answer = await ask(configuration, endpoint, accessToken);
  requireAuthorized(answer);
  requireStatus(answer, [200], 'userinfo');
  const claims = await readClaims(configuration, keys, answer);
  if (typeof claims.sub !== 'string' || claims.sub !== subject) {
    throw new OidcError('OIDC_USERINFO_SUB', { check: 'userinfo.sub', expected: subject, received: claims.sub ?? 'none' });
  }
  return Object.fromEntries(Object.entries(claims).filter(([name]) => name === 'sub' || !protocolClaims.has(name))) as UserInfo;
}

async function ask(configuration: Configuration, url: URL, accessToken: string): Promise<HttpAnswer> {
  const { dpop } = configuration;
  const accept = configuration.userInfoAlgorithms ? 'application/jwt' : 'application/json';
  const once = async () => {
    const headers: Record<string, string> = { authorization: `${dpop === undefined ? 'Bearer' : 'DPoP'} ${accessToken}`, accept };
    const proof = await dpop?.proof('GET', url, accessToken);
    if (proof !== undefined) headers.dpop = proof.text;
    const answer = await exchange(configuration, { subject: 'userinfo', url, headers });
    return { answer, hasNewNonce: dpop?.remember(url, answer.headers, proof?.nonce) === true };
  };
  const { answer, hasNewNonce } = await once();
  // RFC 9449 §9: the server wants its nonce in the proof. Repeated once.
  return hasNewNonce && answer.status === 401 ? (await once()).answer : answer;
}

const userInfoShape = having<{ sub: string }>({ sub: must(subject) });

/** Claims that verify another one: each counts only for the value from the same source. */
const saidOf = [
  ['email', 'email_verified'],
  ['phone_number', 'phone_number_verified'],
] as const;

/**
 * Merges the claims of both. For everything that the sign-in established, the ID Token takes precedence. `email_verified` counts
 * only for the address from the same source: the ID Token may vouch for one address while the UserInfo endpoint returns another.
 *
 * @example
 * ```ts
 * const claims = withUserInfo(signIn.claims, await relyingParty.fetchUserInfo(signIn));
 * ```
 * @throws {@link OidcError} `OIDC_CONFIG_INVALID`: either is missing, or does not say whose it is
 */
export function withUserInfo(claims: IdTokenClaims, userInfo: UserInfo): IdTokenClaims {
  requireShape(claims, 'claims', ownerShape);
  requireShape(userInfo, 'userInfo', userInfoShape);
  const personal: PersonClaims = Object.fromEntries(Object.entries(userInfo).filter(([name]) => !protocolClaims.has(name)));
  const joined = { ...claims, ...personal };
  for (const [name, verified] of saidOf) {
    const said =
      personal[name] === undefined ? claims[verified] : (personal[verified] ?? unchanged(claims, personal, name, verified));
    if (said === undefined) delete joined[verified];
    else joined[verified] = said;
  }
  return joined;
}

function unchanged(
  claims: PersonClaims,
  personal: PersonClaims,
  name: string,
  verified: 'email_verified' | 'phone_number_verified',
) {
  return claims[name] === personal[name] ? claims[verified] : undefined;
}

async function readClaims(configuration: Configuration, keys: KeySource, answer: HttpAnswer): Promise<JsonObject> {
  const algorithms = configuration.userInfoAlgorithms;
  if (algorithms === undefined) return readJsonAnswer(answer, 'userinfo');
  if (answer.contentType !== 'application/jwt') {
    throw new OidcError('OIDC_USERINFO_UNSIGNED', {
      check: 'userinfo.content_type',
      expected: 'application/jwt',
      received: answer.contentType,
    });
  }
  const rules = { subject: 'userinfo', algorithms, types: ['jwt'], limits: configuration.limits };
  const { payload } = await verifyJws(readCompactJws(new TextDecoder().decode(answer.body), rules), keys, rules);
  const context = {
    subject: 'userinfo',
    claims: payload,
    now: nowSeconds(configuration.environment),
    toleranceSeconds: configuration.clockToleranceSeconds,
  };
  checkIssuer(context, configuration.issuerRule);
  checkAudience(context, configuration.clientId);
  if (payload.exp !== undefined) checkExpiry(context);
  checkNotBefore(context);
  return payload;
}

function requireAuthorized(answer: HttpAnswer): void {
  if (answer.status !== 401 && answer.status !== 403) return;
  const challenge = /\berror="([\x20-\x21\x23-\x5b\x5d-\x7e]{1,100})"/.exec(answer.headers.get('www-authenticate') ?? '');
  throw new OidcError('OIDC_USERINFO_UNAUTHORIZED', {
    check: 'userinfo.status',
    received: answer.status,
    providerError: challenge?.[1] ?? 'unknown',
  });
}
