import { base64url } from 'jose';
import { type Environment, platformEnvironment, randomText } from '../environment.ts';
import { callable, having, must, requireShape } from '../values/shape.ts';

/** A verifier and the challenge made from it (RFC 7636). */
export interface Pkce {
  /** 43 characters, 256 random bits. It stays with the relying party until the token request. */
  verifier: string;
  /** The S256 challenge, sent in the authorization request. */
  challenge: string;
}

const environmentShape = having<Pick<Environment, 'randomBytes'>>({ randomBytes: must(callable) });

/**
 * Creates a fresh PKCE pair. The method is always S256: `plain` would put the verifier into the address bar.
 *
 * @example
 * ```ts
 * const { verifier, challenge } = await createPkce();
 * ```
 * @throws {@link OidcError} `OIDC_CONFIG_INVALID`: the environment has no `randomBytes`
 */
export async function createPkce(environment: Pick<Environment, 'randomBytes'> = platformEnvironment): Promise<Pkce> {
  requireShape(environment, 'environment', environmentShape);
  const verifier = randomText(environment);
  return { verifier, challenge: await challengeOf(verifier) };
}

/** BASE64URL(SHA-256(ASCII(verifier))), RFC 7636 §4.2. */
export async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return base64url.encode(new Uint8Array(digest));
}
