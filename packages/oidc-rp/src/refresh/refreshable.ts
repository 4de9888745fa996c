import type { SignIn } from '../sign-in/sign-in.ts';
import { isJsonObject } from '../values/json.ts';
import { type Check, either, listOf, may, members, must, requireShape, text, that } from '../values/shape.ts';

/** The parts of a sign-in that a refresh needs to renew it. */
export type Refreshable = Pick<SignIn, 'identity' | 'claims' | 'tokens'>;

const person = text(255);
const identity = members<Refreshable['identity']>({ issuer: must(text()), subject: must(person) });
const object = that('an object', isJsonObject);
const seconds = that('seconds since 1970', value => typeof value === 'number' && Number.isFinite(value));
const token = text(65_536);

/** The claims that a refresh compares; the others are up to the caller. */
const claims: Check = (value, path) => {
  const { iss, sub, aud, nonce, azp, auth_time, sid } = (value ?? {}) as Record<string, unknown>;
  const optional = (check: Check, given: unknown, name: string) =>
    given === undefined ? undefined : check(given, `${path}.${name}`);
  return (
    object(value, path) ??
    text()(iss, `${path}.iss`) ??
    person(sub, `${path}.sub`) ??
    either(text(), listOf(text(), 'strings', 1))(aud, `${path}.aud`) ??
    optional(text(), nonce, 'nonce') ??
    optional(text(), azp, 'azp') ??
    optional(seconds, auth_time, 'auth_time') ??
    optional(text(), sid, 'sid')
  );
};

const tokens = members<Refreshable['tokens']>({
  accessToken: must(token),
  tokenType: must(that('Bearer or DPoP', value => value === 'Bearer' || value === 'DPoP')),
  idToken: must(token),
  signedIdToken: must(token),
  refreshToken: may(token),
  expiresAt: may(seconds),
  scopes: may(listOf(text(), 'strings')),
  issuedTokenType: may(text()),
  narrowed: may(members<NonNullable<Refreshable['tokens']['narrowed']>>({ from: may(listOf(text(), 'strings')) })),
});

/**
 * Refuses a stored sign-in that came back damaged. Other members that the caller added are allowed.
 *
 * @throws {@link OidcError} `OIDC_CONFIG_INVALID`, with the path
 */
export function requireRefreshable(signIn: Refreshable): void {
  const shape: Check = (value, path) =>
    object(value, path) ??
    identity((value as Refreshable).identity, `${path}.identity`) ??
    claims((value as Refreshable).claims, `${path}.claims`) ??
    tokens((value as Refreshable).tokens, `${path}.tokens`);
  requireShape(signIn, 'signIn', shape);
}
