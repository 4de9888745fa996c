import { exportJWK, generateKeyPair, type JWK } from 'jose';

/** A signing key of a test provider, with its public half as published. */
export interface SigningKey {
  alg: string;
  kid: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  publicJwk: JWK;
}

let count = 0;

export async function createKey(alg = 'RS256', kid?: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  count += 1;
  const name = kid ?? `key-${count}`;
  return { alg, kid: name, privateKey, publicKey, publicJwk: { ...(await exportJWK(publicKey)), kid: name, alg, use: 'sig' } };
}

const kept = new Map<string, Promise<SigningKey>>();

/** The same key for every caller in this process: making RSA keys is the slowest thing in these tests. */
export function keptKey(name: string, alg = 'RS256'): Promise<SigningKey> {
  const key = kept.get(`${name} ${alg}`) ?? createKey(alg, name);
  kept.set(`${name} ${alg}`, key);
  return key;
}

export function base64url(data: string | Uint8Array): string {
  return Buffer.from(data as string).toString('base64url');
}

type Part = string | object;

/** Header and payload as they go under the signature; text is taken as it is, so that it need not be JSON. */
export function signingInput(header: Part, payload: Part): string {
  return [header, payload].map(part => base64url(typeof part === 'string' ? part : JSON.stringify(part))).join('.');
}

/** A token with any header and payload whatsoever, truly signed by the key. */
export async function forge(header: Part, payload: Part, key: SigningKey): Promise<string> {
  const input = signingInput(header, payload);
  return `${input}.${base64url(await signBytes(input, key))}`;
}

export async function signBytes(input: string, key: SigningKey): Promise<Uint8Array> {
  const algorithm = subtleAlgorithm(key);
  return new Uint8Array(await crypto.subtle.sign(algorithm, key.privateKey, new TextEncoder().encode(input)));
}

function subtleAlgorithm({ alg, privateKey }: SigningKey): AlgorithmIdentifier | RsaPssParams | EcdsaParams {
  const name = privateKey.algorithm.name;
  if (name === 'RSA-PSS') return { name, saltLength: Number(alg.slice(2)) / 8 };
  if (name === 'ECDSA') return { name, hash: `SHA-${alg.slice(2)}` };
  return { name };
}

/** A token signed with a shared secret, as an attacker would make it from whatever bytes are public. */
export async function forgeHmac(header: Part, payload: Part, secret: Uint8Array): Promise<string> {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const input = signingInput(header, payload);
  return `${input}.${base64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(input))))}`;
}
