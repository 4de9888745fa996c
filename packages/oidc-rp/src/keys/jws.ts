import { base64url, compactVerify } from 'jose';
import { OidcError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { hasCanonicalEnd } from '../values/base64url.ts';
import { type JsonObject, readJsonObject } from '../values/json.ts';
import type { KeySource } from './jwks.ts';
import { nodeVerifier, type Verify } from './node-signature.ts';

/** The rules that a signed token must meet before a key is even looked up. */
export interface JwsRules {
  /** Names the token in errors: `id_token`, `logout_token`, `userinfo`. */
  subject: string;
  /** The algorithms registered for this client. The token never adds to them. */
  algorithms: readonly string[];
  /** Accepted `typ` values in lower case; an absent `typ` is always accepted (RFC 8725 §3.11 asks for distinct types). */
  types: readonly string[];
  limits: Pick<Limits, 'maxTokenBytes' | 'maxTokenHeaderBytes'>;
  /** Headers of verified tokens, by their encoded text: a provider sends the same one for hours. */
  knownHeaders?: Map<string, HeaderFacts> | undefined;
}

/** The facts of an acceptable header. */
export interface HeaderFacts {
  /** One of the registered algorithms. */
  alg: string;
  kid: string | undefined;
}

/** A token whose signature was verified. Its claims have not been checked yet. */
export interface VerifiedJws {
  algorithm: string;
  payload: JsonObject;
}

/** A well-formed token with an acceptable header, not yet verified. */
export interface CompactJws extends HeaderFacts {
  token: string;
  encodedHeader: string;
}

const maxKnownHeaders = 16;
const encoder = new TextEncoder();
const lettersAndDots = /^[\w.-]+$/;

/** Reads a token as far as possible without a key: form, sizes, header, algorithm, type. */
export function readCompactJws(token: unknown, rules: JwsRules): CompactJws {
  const parts = splitCompact(token, rules);
  const encodedHeader = parts[0]!;
  const facts = rules.knownHeaders?.get(encodedHeader) ?? readHeaderFacts(encodedHeader, rules);
  if (parts[2] === '')
    throw new OidcError('OIDC_JWT_SIGNATURE', { check: `${rules.subject}.signature`, expected: 'a signature', received: 'none' });
  return { token: token as string, encodedHeader, alg: facts.alg, kid: facts.kid };
}

function readHeaderFacts(encoded: string, rules: JwsRules): HeaderFacts {
  const { alg, typ, kid } = readJoseHeader(encoded, rules);
  if (typeof alg !== 'string' || !rules.algorithms.includes(alg)) {
    throw new OidcError('OIDC_JWT_ALGORITHM', {
      check: `${rules.subject}.alg`,
      expected: rules.algorithms.join(', '),
      received: alg ?? 'none given',
    });
  }
  checkType(typ, rules);
  if (kid !== undefined && typeof kid !== 'string') {
    throw new OidcError('OIDC_JWT_HEADER', { check: `${rules.subject}.kid`, expected: 'text' });
  }
  return { alg, kid };
}

/** Verifies the signature with keys from the source; only then is the payload read. */
export async function verifyJws(jws: CompactJws, keys: KeySource, rules: JwsRules): Promise<VerifiedJws> {
  const known = await keys.find(jws);
  const payload = (await verifyWithAny(jws, known)) ?? (await verifyWithNewer(jws, keys, known));
  return readVerified(payload, jws, rules);
}

function readVerified(payload: Uint8Array | undefined, jws: CompactJws, rules: JwsRules): VerifiedJws {
  if (payload === undefined) throw new OidcError('OIDC_JWT_SIGNATURE', { check: `${rules.subject}.signature` });
  rememberHeader(jws, rules);
  return { algorithm: jws.alg, payload: readJsonObject(payload, rules.subject) };
}

function rememberHeader({ encodedHeader, alg, kid }: CompactJws, { knownHeaders }: JwsRules): void {
  if (knownHeaders === undefined || knownHeaders.has(encodedHeader)) return;
  if (knownHeaders.size >= maxKnownHeaders) knownHeaders.clear();
  knownHeaders.set(encodedHeader, { alg, kid });
}

function splitCompact(token: unknown, rules: JwsRules): string[] {
  const { subject, limits } = rules;
  if (typeof token !== 'string') throw new OidcError('OIDC_JWT_MALFORMED', { check: subject, expected: 'text' });
  if (token.length > limits.maxTokenBytes) {
    throw new OidcError('OIDC_JWT_TOO_LARGE', {
      check: subject,
      expected: `at most ${limits.maxTokenBytes} bytes`,
      received: token.length,
    });
  }
  const parts = token.split('.', 7);
  if (parts.length === 5)
    throw new OidcError('OIDC_JWE_UNEXPECTED', { check: subject, expected: 'a signed token', received: 'an encrypted one' });
  if (parts.length !== 3 || parts[0] === '' || parts[1] === '' || !parts.every(hasCanonicalEnd) || !lettersAndDots.test(token)) {
    throw new OidcError('OIDC_JWT_MALFORMED', { check: subject, expected: 'three parts of canonical base64url' });
  }
  return parts;
}

/** Reads a token's protected header: limited in size, strict JSON, without critical extensions. */
export function readJoseHeader(encoded: string, rules: Pick<JwsRules, 'subject' | 'limits'>): JsonObject {
  const check = `${rules.subject}.header`;
  if (encoded.length > rules.limits.maxTokenHeaderBytes) {
    throw new OidcError('OIDC_JWT_TOO_LARGE', {
      check,
      expected: `at most ${rules.limits.maxTokenHeaderBytes} bytes`,
      received: encoded.length,
    });
  }
  const header = readJsonObject(base64url.decode(encoded), check);
  // RFC 7515 §4.1.11: a token with an extension that is not understood must be refused. We understand none; b64 is one.
  const demand = ['crit', 'b64'].find(member => Object.hasOwn(header, member));
  if (demand !== undefined) throw new OidcError('OIDC_JWT_CRITICAL', { check: `${check}.${demand}`, expected: 'no extension' });
  return header;
}

function checkType(typ: unknown, rules: JwsRules): void {
  if (typ === undefined) return;
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : '';
  if (!rules.types.includes(type)) {
    throw new OidcError('OIDC_JWT_TYPE', {
      check: `${rules.subject}.typ`,
      expected: `${rules.types.join(' or ')}, or none`,
      received: typ,
    });
  }
}

async function verifyWithAny(jws: CompactJws, keys: CryptoKey[]): Promise<Uint8Array | undefined> {
  for (const key of keys) {
    const payload = await verifyWith(jws, key);
    if (payload !== undefined) return payload;
  }
  return undefined;
}

function verifyWith(jws: CompactJws, key: CryptoKey): Uint8Array | undefined | Promise<Uint8Array | undefined> {
  if (!fitsKey(jws.token, key)) return undefined;
  const verify = nodeVerifier(jws.alg, key);
  if (verify !== undefined) return verifyNow(jws.token, verify);
  return compactVerify(jws.token, key, { algorithms: [jws.alg] }).then(
    verified => verified.payload,
    // Whatever the reason why the key could not verify the token: it is not verified.
    () => undefined,
  );
}

// An RSA signature is as long as its key's modulus (RFC 8017 §8.1.2 step 1). OpenSSL also accepts a PSS signature that lost a
// leading zero, which would give one signature two forms.
function fitsKey(token: string, key: CryptoKey): boolean {
  const { modulusLength } = key.algorithm as Partial<RsaKeyAlgorithm>;
  if (modulusLength === undefined) return true;
  const characters = token.length - token.lastIndexOf('.') - 1;
  return Math.floor((characters * 3) / 4) === Math.ceil(modulusLength / 8);
}

function verifyNow(token: string, verify: Verify): Uint8Array | undefined {
  const end = token.lastIndexOf('.');
  const signature = base64url.decode(token.slice(end + 1));
  return verify(encoder.encode(token.slice(0, end)), signature)
    ? base64url.decode(token.slice(token.indexOf('.') + 1, end))
    : undefined;
}

// A token without a key id shows only by its signature that the provider has rotated its keys. So does one whose key id now
// stands for another key.
async function verifyWithNewer(jws: CompactJws, keys: KeySource, tried: CryptoKey[]): Promise<Uint8Array | undefined> {
  for await (const newer of keys.findNewer?.(jws, tried) ?? []) {
    const payload = await verifyWithAny(jws, newer);
    if (payload !== undefined) return payload;
  }
  return undefined;
}
