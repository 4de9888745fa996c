import type { OidcErrorCode } from '../errors.ts';
import type { IssuerRule } from '../issuer/issuer-rule.ts';
import { type Decryption, decryptNestedJwt } from '../keys/jwe.ts';
import type { KeySource } from '../keys/jwks.ts';
import { type JwsRules, readCompactJws, verifyJws } from '../keys/jws.ts';
import { tokenHash } from '../keys/token-hash.ts';
import { isSameText } from '../values/same-text.ts';
import { listOf, may, members, must, numberIn, oneOf, requireShape, text, wholeNumber } from '../values/shape.ts';
import {
  type ClaimContext,
  checkAcr,
  checkAudience,
  checkAuthTime,
  checkExpiry,
  checkIssuedAt,
  checkIssuer,
  checkNotBefore,
  checkSubject,
  readOptionalText,
  refusal,
} from './claim-checks.ts';
import type { IdTokenClaims } from './claims.ts';

/** The rules that an ID Token is validated against. None comes from the token, and only the keys come from the discovery document. */
export interface IdTokenRules extends Pick<JwsRules, 'algorithms' | 'limits' | 'knownHeaders'> {
  issuerRule: IssuerRule;
  clientId: string;
  keys: KeySource;
  decryption: Decryption | undefined;
  /** How many seconds the clocks may differ. */
  toleranceSeconds: number;
}

/** The values that this particular ID Token must match. */
export interface IdTokenExpectations {
  /** The nonce that was sent. `always`: the token must carry it. `if-present` is for refreshed tokens (Core §12.2). */
  nonce: { value: string; when: 'always' | 'if-present' } | undefined;
  maxAgeSeconds?: number | undefined;
  /** When `maxAgeSeconds` starts to count back, in seconds since 1970: the start of the sign-in. Default: now. */
  startedAt?: number | undefined;
  acrValues?: readonly string[] | undefined;
  /** Compared with `at_hash`, if the token has one. */
  accessToken?: string | undefined;
  /** Compared with `c_hash`, if the token has one. */
  code?: string | undefined;
  /** Seconds since 1970. */
  now: number;
}

const types: readonly string[] = ['jwt'];

const shape = members<Omit<IdTokenExpectations, 'now'>>({
  nonce: may(
    members<NonNullable<IdTokenExpectations['nonce']>>({
      value: must(text()),
      when: must(oneOf(['always', 'if-present'])),
    }),
  ),
  maxAgeSeconds: may(wholeNumber(0)),
  startedAt: may(numberIn(0, Number.MAX_SAFE_INTEGER)),
  acrValues: may(listOf(text(), 'strings', 1)),
  accessToken: may(text(65_536)),
  code: may(text()),
});

/**
 * Refuses expectations that a caller mistyped: a check that is silently absent lets every token through.
 *
 * @throws {@link OidcError} `OIDC_CONFIG_INVALID`, with the path
 */
export function requireExpectations(expectations: Omit<IdTokenExpectations, 'now'>): void {
  requireShape(expectations, 'expectations', shape);
}

/**
 * Validates an ID Token: decrypts it when encryption is registered, then verifies its signature and its claims, with every check
 * of OpenID Connect Core §3.1.3.7. The signature is verified in the code flow too: TLS proves who sent the answer, not who issued
 * the token.
 *
 * @returns all claims, including unknown ones, and the signed token (the inner one if the token was encrypted)
 * @throws {@link OidcError} with one code per check
 */
export async function validateIdToken(
  token: unknown,
  rules: IdTokenRules,
  expectations: IdTokenExpectations,
): Promise<{ claims: IdTokenClaims; signed: string }> {
  const jwsRules: JwsRules = {
    subject: 'id_token',
    types,
    algorithms: rules.algorithms,
    limits: rules.limits,
    knownHeaders: rules.knownHeaders,
  };
  const signed = rules.decryption === undefined ? token : await decryptNestedJwt(token, rules.decryption, jwsRules);
  const jws = readCompactJws(signed, jwsRules);
  const { payload } = await verifyJws(jws, rules.keys, jwsRules);
  const context = { subject: 'id_token', claims: payload, now: expectations.now, toleranceSeconds: rules.toleranceSeconds };
  checkClaims(context, rules, expectations);
  // On platforms that hash synchronously there is nothing to wait for.
  const later = [
    checkHash(context, 'at_hash', 'OIDC_CLAIM_AT_HASH', expectations.accessToken, jws.alg),
    checkHash(context, 'c_hash', 'OIDC_CLAIM_C_HASH', expectations.code, jws.alg),
  ];
  for (const check of later) if (check !== undefined) await check;
  return { claims: payload as IdTokenClaims, signed: jws.token };
}

function checkClaims(context: ClaimContext, rules: IdTokenRules, expectations: IdTokenExpectations): void {
  checkIssuer(context, rules.issuerRule);
  checkSubject(context);
  checkAudience(context, rules.clientId);
  checkExpiry(context);
  checkIssuedAt(context);
  checkNotBefore(context);
  checkNonce(context, expectations.nonce);
  checkAuthTime(context, expectations.maxAgeSeconds, expectations.startedAt);
  checkAcr(context, expectations.acrValues);
  readOptionalText(context, 'sid', 'OIDC_CLAIM_SID');
}

function checkNonce(context: ClaimContext, expected: IdTokenExpectations['nonce']): void {
  const { nonce } = context.claims;
  if (expected === undefined || (nonce === undefined && expected.when === 'if-present')) return;
  // Neither value is shown: the expected one is a secret of this sign-in.
  if (typeof nonce !== 'string' || !isSameText(nonce, expected.value)) throw refusal(context, 'OIDC_CLAIM_NONCE', 'nonce');
}

function checkHash(
  context: ClaimContext,
  claim: 'at_hash' | 'c_hash',
  code: OidcErrorCode,
  value: string | undefined,
  algorithm: string,
): Promise<void> | undefined {
  const claimed = context.claims[claim];
  if (claimed === undefined || value === undefined) return undefined;
  const compare = (expected: string) => {
    if (claimed !== expected) throw refusal(context, code, claim);
  };
  const expected = tokenHash(value, algorithm);
  return typeof expected === 'string' ? void compare(expected) : expected.then(compare);
}
