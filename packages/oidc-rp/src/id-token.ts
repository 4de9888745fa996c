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
import type { IssuerRule } from './issuer-rule.ts';
import { type Decryption, decryptNestedJwt } from './jwe.ts';
import type { KeySource } from './jwks.ts';
import { type JwsRules, readCompactJws, verifyJws } from './jws.ts';
import { isSameText } from './same-text.ts';
import { tokenHash } from './token-hash.ts';

/** What an ID Token is validated against. Nothing of it comes from the token or from the discovery document but the keys. */
export interface IdTokenRules extends Pick<JwsRules, 'algorithms' | 'limits' | 'knownHeaders'> {
  issuerRule: IssuerRule;
  clientId: string;
  keys: KeySource;
  decryption: Decryption | undefined;
  /** By how many seconds the clocks may differ. */
  toleranceSeconds: number;
}

/** What this one ID Token must answer to. */
export interface IdTokenExpectations {
  /** The nonce that was sent: equal, always. `if-present` is for refreshed tokens (Core §12.2). */
  nonce: { value: string; when: 'always' | 'if-present' } | undefined;
  maxAgeSeconds?: number | undefined;
  /** From when `maxAgeSeconds` counts, seconds since 1970: the start of the sign-in. Default: now. */
  startedAt?: number | undefined;
  acrValues?: readonly string[] | undefined;
  /** Compared with `at_hash`, when the token has one. */
  accessToken?: string | undefined;
  /** Compared with `c_hash`, when the token has one. */
  code?: string | undefined;
  /** Seconds since 1970. */
  now: number;
}

const types: readonly string[] = ['jwt'];

/**
 * Validates an ID Token: decrypts it where encryption is registered, verifies its signature, then its claims, every
 * check of OpenID Connect Core §3.1.3.7. The signature is verified on the code flow too: TLS proves who sent the answer,
 * not who issued the token.
 *
 * @returns all claims, unknown ones included, and the signed token, which lay inside where the token was encrypted
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
  // Hashing needs nothing of the signature's outcome, so both run at once; the comparison waits for the claims.
  const hashes = expectedHashes(jws.alg, expectations);
  const { payload } = await verifyJws(jws, rules.keys, jwsRules);
  const context = { subject: 'id_token', claims: payload, now: expectations.now, toleranceSeconds: rules.toleranceSeconds };
  checkClaims(context, rules, expectations);
  if (hashes.at_hash !== undefined || hashes.c_hash !== undefined) await checkHashes(context, hashes);
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

type ExpectedHashes = { at_hash: Promise<string> | undefined; c_hash: Promise<string> | undefined };

function expectedHashes(algorithm: string, expectations: IdTokenExpectations): ExpectedHashes {
  const hash = (value: string | undefined) => (value === undefined ? undefined : tokenHash(value, algorithm));
  return { at_hash: hash(expectations.accessToken), c_hash: hash(expectations.code) };
}

async function checkHashes(context: ClaimContext, hashes: ExpectedHashes): Promise<void> {
  const { at_hash, c_hash } = context.claims;
  if (await differs(at_hash, hashes.at_hash)) throw refusal(context, 'OIDC_CLAIM_AT_HASH', 'at_hash');
  if (await differs(c_hash, hashes.c_hash)) throw refusal(context, 'OIDC_CLAIM_C_HASH', 'c_hash');
}

async function differs(claim: unknown, expected: Promise<string> | undefined): Promise<boolean> {
  return claim !== undefined && expected !== undefined && claim !== (await expected);
}
