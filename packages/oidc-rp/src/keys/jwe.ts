import { compactDecrypt, type JWK } from 'jose';
import { OidcError } from '../errors.ts';
import { isCanonicalBase64url } from '../values/base64url.ts';
import { type Check, listOf, may, members, must, oneOf, text, that } from '../values/shape.ts';
import { type JwsRules, readJoseHeader } from './jws.ts';
import { decryptionKeyFor } from './key-shapes.ts';

/** Key management algorithms that a client may register (`id_token_encrypted_response_alg`). */
export type KeyManagementAlgorithm = 'RSA-OAEP' | 'RSA-OAEP-256' | 'ECDH-ES' | 'ECDH-ES+A128KW' | 'ECDH-ES+A256KW';

/** Content encryption algorithms that a client may register (`id_token_encrypted_response_enc`). */
export type ContentEncryption = 'A128GCM' | 'A192GCM' | 'A256GCM' | 'A128CBC-HS256' | 'A256CBC-HS512';

/** The client's registration for encrypted ID Tokens, with its private keys. */
export interface Decryption {
  /** The registered key management algorithm: one, as in the registration. */
  algorithm: KeyManagementAlgorithm;
  /** The registered content encryption. */
  encryption: ContentEncryption;
  /** Private keys, the current one first; a `kid` lets the token choose among them. */
  keys: readonly { kid?: string | undefined; key: CryptoKey | JWK }[];
  /** Must be true for `RSA-OAEP`, which uses SHA-1. For providers that offer nothing better. */
  dangerouslyAllowSha1?: boolean | undefined;
}

/** The names accepted as {@link Decryption.algorithm}. */
export const keyManagementAlgorithms: readonly string[] = [
  'RSA-OAEP',
  'RSA-OAEP-256',
  'ECDH-ES',
  'ECDH-ES+A128KW',
  'ECDH-ES+A256KW',
];
/** The names accepted as {@link Decryption.encryption}. */
export const contentEncryptions: readonly string[] = ['A128GCM', 'A192GCM', 'A256GCM', 'A128CBC-HS256', 'A256CBC-HS512'];

/** The shape of {@link Decryption}. */
export const decryptionShape: Check = (value, path) => {
  const { algorithm } = (value ?? {}) as Partial<Decryption>;
  const key = members<Decryption['keys'][number]>({ kid: may(text(1024)), key: must(decryptionKeyFor(algorithm)) });
  return members<Decryption>({
    algorithm: must(oneOf(keyManagementAlgorithms)),
    encryption: must(oneOf(contentEncryptions)),
    keys: must(listOf(key, 'keys', 1)),
    dangerouslyAllowSha1: (algorithm === 'RSA-OAEP' ? must : may)(
      that(
        algorithm === 'RSA-OAEP' ? 'true for RSA-OAEP' : 'true or false',
        given => given === true || (given === false && algorithm !== 'RSA-OAEP'),
      ),
    ),
  })(value, path);
};

const maxTries = 4;
const ascii = new TextDecoder('utf-8', { fatal: true });

/**
 * Decrypts a nested token to the signed token inside. Encryption proves nothing about the sender: the caller verifies the result
 * like any other ID Token. All failures look the same, so that the answer reveals nothing about a key.
 */
export async function decryptNestedJwt(
  token: unknown,
  decryption: Decryption,
  rules: Pick<JwsRules, 'subject' | 'limits'>,
): Promise<string> {
  const encrypted = requireCompactJwe(token, rules);
  const kid = checkHeader(encrypted, decryption, rules);
  for (const { key } of candidates(decryption, kid)) {
    const inner = await tryDecrypt(encrypted, key, decryption);
    if (inner !== undefined) return inner;
  }
  throw new OidcError('OIDC_JWE_DECRYPTION', { check: `${rules.subject}.jwe` });
}

function requireCompactJwe(token: unknown, rules: Pick<JwsRules, 'subject' | 'limits'>): string {
  const { subject, limits } = rules;
  if (typeof token !== 'string') throw new OidcError('OIDC_JWT_MALFORMED', { check: subject, expected: 'text' });
  if (token.length > limits.maxTokenBytes)
    throw new OidcError('OIDC_JWT_TOO_LARGE', { check: subject, expected: `at most ${limits.maxTokenBytes} bytes` });
  const parts = token.split('.', 7);
  if (parts.length === 3) throw new OidcError('OIDC_JWE_REQUIRED', { check: subject, expected: 'an encrypted token' });
  // The second part is empty with ECDH-ES, where the key is agreed on, not sent.
  if (parts.length !== 5 || parts.some((part, at) => !isCanonicalBase64url(part) || (part === '' && at !== 1))) {
    throw new OidcError('OIDC_JWT_MALFORMED', { check: subject, expected: 'five parts of canonical base64url' });
  }
  return token;
}

function checkHeader(token: string, decryption: Decryption, rules: Pick<JwsRules, 'subject' | 'limits'>): string | undefined {
  const header = readJoseHeader(token.slice(0, token.indexOf('.')), rules);
  const refuse = (member: string, expected: string) =>
    new OidcError('OIDC_JWE_HEADER', { check: `${rules.subject}.jwe.${member}`, expected, received: header[member] });
  if (header.alg !== decryption.algorithm) throw refuse('alg', decryption.algorithm);
  if (header.enc !== decryption.encryption) throw refuse('enc', decryption.encryption);
  // A few bytes of DEFLATE can expand to gigabytes, and compression before encryption leaks.
  if (Object.hasOwn(header, 'zip')) throw refuse('zip', 'no compression');
  if (header.cty !== undefined && !namesJwt(header.cty)) throw refuse('cty', 'JWT');
  if (header.kid !== undefined && typeof header.kid !== 'string') throw refuse('kid', 'text');
  return header.kid;
}

// RFC 7515 §4.1.10: a media type whose `application/` may be omitted.
function namesJwt(type: unknown): boolean {
  return typeof type === 'string' && /^(?:application\/)?jwt$/i.test(type);
}

function candidates(decryption: Decryption, kid: string | undefined): Decryption['keys'] {
  const named = decryption.keys.filter(key => kid === undefined || key.kid === undefined || key.kid === kid);
  return named.slice(0, maxTries);
}

async function tryDecrypt(token: string, key: CryptoKey | JWK, decryption: Decryption): Promise<string | undefined> {
  try {
    const { plaintext } = await compactDecrypt(token, key, {
      keyManagementAlgorithms: [decryption.algorithm],
      contentEncryptionAlgorithms: [decryption.encryption],
      maxDecompressedLength: 0,
    });
    return ascii.decode(plaintext);
  } catch {
    return undefined;
  }
}
