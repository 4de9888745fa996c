import { base64url, calculateJwkThumbprint, exportJWK, SignJWT } from 'jose';
import { type Environment, nowSeconds, randomText } from '../environment.ts';
import { type AsymmetricAlgorithm, algorithmFacts, isHmac } from '../keys/algorithms.ts';
import { publicKeyFor, signingKeyFor } from '../keys/key-shapes.ts';
import { type Check, may, members, must, oneOf, requireShape, text, urlObject } from '../values/shape.ts';

/**
 * The key that tokens are bound to (RFC 9449). Create it with `extractable: false` if you need not store it; keep it as long as
 * the tokens.
 *
 * @example
 * ```ts
 * const dpop: DpopSetting = { algorithm: 'ES256', ...(await generateKeyPair('ES256')) }; // jose's
 * ```
 */
export interface DpopSetting {
  algorithm: AsymmetricAlgorithm;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
}

const asymmetric = [...algorithmFacts.keys()].filter(name => !isHmac(name));

/** The shape of {@link DpopSetting}. */
export const dpopShape: Check = (value, path) =>
  members<DpopSetting>({
    algorithm: must(oneOf(asymmetric)),
    privateKey: must(signingKeyFor((value as Partial<DpopSetting> | null)?.algorithm)),
    publicKey: must(publicKeyFor((value as Partial<DpopSetting> | null)?.algorithm)),
  })(value, path);

const requestShape = members<{ method: string; url: URL; accessToken: string; nonce?: string }>({
  method: must(text(100)),
  url: must(urlObject),
  accessToken: must(text(65_536)),
  nonce: may(text(1024)),
});

/** Refuses a request that no proof can be made for: a URL given as text would be signed as `undefined`. */
export function requireProofRequest(request: unknown): void {
  requireShape(request, 'request', requestShape);
}

/** A proof, and the server's nonce that it carries. */
export interface DpopProof {
  text: string;
  nonce: string | undefined;
}

const maxNonces = 100;
const maxNonceLength = 1024;

/** Creates DPoP proofs and remembers the nonces that servers ask for, one per origin (RFC 9449 §8, §9). */
export class DpopProver {
  readonly algorithm: AsymmetricAlgorithm;
  readonly #setting: DpopSetting;
  readonly #environment: Environment;
  readonly #nonces = new Map<string, string>();

  constructor(setting: DpopSetting, environment: Environment) {
    this.algorithm = setting.algorithm;
    this.#setting = setting;
    this.#environment = environment;
  }

  /** The thumbprint of the key. As `dpop_jkt` in the authorization request, it binds the code to the key (RFC 9449 §10). */
  async thumbprint(): Promise<string> {
    return calculateJwkThumbprint(await exportJWK(this.#setting.publicKey), 'sha256');
  }

  /** A proof for one request, bound to the access token if there is one. */
  async proof(method: string, url: URL, accessToken?: string): Promise<DpopProof> {
    const nonce = this.#nonces.get(url.origin);
    const text = await new SignJWT({
      jti: randomText(this.#environment),
      htm: method,
      // Without query and fragment (RFC 9449 §4.2).
      htu: `${url.origin}${url.pathname}`,
      ...(nonce === undefined ? {} : { nonce }),
      ...(accessToken === undefined ? {} : { ath: await sha256(accessToken) }),
    })
      .setProtectedHeader({ alg: this.algorithm, typ: 'dpop+jwt', jwk: await this.#publicJwk() })
      .setIssuedAt(Math.floor(nowSeconds(this.#environment)))
      .sign(this.#setting.privateKey);
    return { text, nonce };
  }

  /**
   * Takes the nonce from an answer.
   *
   * @param sent the nonce of the request's proof. What is remembered may be newer: another request may have learned it meanwhile
   * @returns whether the server named another nonce than the one sent: then the request is worth repeating, once
   */
  remember(url: URL, headers: Headers, sent?: string): boolean {
    const nonce = headers.get('dpop-nonce');
    if (nonce === null || nonce.length > maxNonceLength) return false;
    if (this.#nonces.size >= maxNonces && !this.#nonces.has(url.origin)) this.#nonces.clear();
    this.#nonces.set(url.origin, nonce);
    return nonce !== sent;
  }

  async #publicJwk() {
    const { kty, crv, x, y, n, e } = await exportJWK(this.#setting.publicKey);
    return JSON.parse(JSON.stringify({ kty, crv, x, y, n, e }));
  }
}

async function sha256(value: string): Promise<string> {
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(value))));
}
