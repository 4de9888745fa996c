import { base64url, importJWK, type JWK, SignJWT } from 'jose';
import { type Environment, nowSeconds, randomText } from '../environment.ts';
import { OidcError } from '../errors.ts';
import { type AsymmetricAlgorithm, algorithmFacts, isHmac } from '../keys/algorithms.ts';
import { signingKeyFor } from '../keys/key-shapes.ts';
import { type Check, callable, either, may, members, must, oneOf, text } from '../values/shape.ts';

/** Signs bytes with a key that never leaves its place, such as a key management service. Returns the raw JWS signature. */
export type SignBytes = (input: Uint8Array) => Promise<Uint8Array> | Uint8Array;

/**
 * How the client authenticates at the provider's endpoints (OpenID Connect Core §9).
 *
 * @example
 * ```ts
 * const clientAuthentication: ClientAuthentication = {
 *   method: 'private_key_jwt',
 *   algorithm: 'ES256',
 *   keyId: 'notes-2027',
 *   sign: input => kms.sign('notes-2027', input),
 * };
 * ```
 */
export type ClientAuthentication =
  | {
      method: 'client_secret_basic' | 'client_secret_post';
      /** The secret, or a function that returns the current one. It is called on each request, so that a secret can be rotated. */
      secret: string | (() => Promise<string> | string);
    }
  | {
      method: 'private_key_jwt';
      algorithm: AsymmetricAlgorithm;
      keyId?: string | undefined;
      /** Default: the issuer alone, so that no other server can pass the assertion on. Some providers require their token endpoint. */
      audience?: string | undefined;
      /** The private key itself. */
      key: CryptoKey | JWK;
    }
  | {
      method: 'private_key_jwt';
      algorithm: AsymmetricAlgorithm;
      keyId?: string | undefined;
      audience?: string | undefined;
      /** Signs with a private key that is kept elsewhere. For ECDSA return `r` and `s` concatenated (RFC 7518 §3.4), not DER. */
      sign: SignBytes;
    }
  /** A public client: an app or a page that cannot keep a secret. PKCE takes its place. */
  | { method: 'none' };

type PrivateKeyJwt = Extract<ClientAuthentication, { method: 'private_key_jwt' }>;

/** The parameters and headers that authenticate the client in a request. */
export interface ClientProof {
  headers: Record<string, string>;
  parameters: Record<string, string>;
}

const proofLifetimeSeconds = 60;
const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'];
const asymmetric = [...algorithmFacts.keys()].filter(name => !isHmac(name));

const method = must(oneOf(methods));
const secretShape = members<{ method: string; secret: unknown }>({ method, secret: must(either(text(8192), callable)) });
const noneShape = members<{ method: string }>({ method });
const proofMembers = { method, algorithm: must(oneOf(asymmetric)), keyId: may(text(1024)), audience: may(text()) };
const signShape = members<{ method: string; algorithm: string; keyId?: string; audience?: string; sign: SignBytes }>({
  ...proofMembers,
  sign: must(callable),
});
const keyShape = (algorithm: unknown) =>
  members<{ method: string; algorithm: string; keyId?: string; audience?: string; key: unknown }>({
    ...proofMembers,
    key: must(signingKeyFor(algorithm)),
  });

/** The shape of {@link ClientAuthentication}; which members are allowed depends on the method. */
export const clientAuthenticationShape: Check = (value, path) => {
  if (typeof value !== 'object' || value === null) return noneShape(value, path);
  const setting = value as Partial<PrivateKeyJwt>;
  if (setting.method === undefined || !methods.includes(setting.method)) return method.check(setting.method, `${path}.method`);
  if (setting.method !== 'private_key_jwt') return (setting.method === 'none' ? noneShape : secretShape)(value, path);
  return ('sign' in setting ? signShape : keyShape(setting.algorithm))(value, path);
};

/** Creates the proof for one request. */
export async function authenticateClient(
  setting: ClientAuthentication,
  client: { clientId: string; issuer: string; environment: Environment },
): Promise<ClientProof> {
  const parameters = { client_id: client.clientId };
  switch (setting.method) {
    case 'client_secret_basic': {
      // Each half is form-encoded before they are joined (RFC 6749 §2.3.1); otherwise a colon in the id would shift the boundary.
      const pair = `${formEncoded(client.clientId)}:${formEncoded(await currentSecret(setting.secret))}`;
      return { headers: { authorization: `Basic ${btoa(pair)}` }, parameters };
    }
    case 'client_secret_post':
      return { headers: {}, parameters: { ...parameters, client_secret: await currentSecret(setting.secret) } };
    case 'private_key_jwt':
      return { headers: {}, parameters: { ...parameters, ...(await signedProof(setting, client)) } };
    case 'none':
      return { headers: {}, parameters };
  }
}

async function currentSecret(secret: string | (() => Promise<string> | string)): Promise<string> {
  if (typeof secret === 'string') return secret;
  const refuse = (facts: object) =>
    new OidcError('OIDC_CLIENT_CREDENTIAL', { check: 'options.clientAuthentication.secret', expected: 'a secret', ...facts });
  let given: unknown;
  try {
    given = await secret();
  } catch (cause) {
    throw refuse({ cause });
  }
  if (typeof given !== 'string' || given === '') throw refuse({ received: typeof given });
  return given;
}

function formEncoded(value: string): string {
  return new URLSearchParams({ '': value }).toString().slice(1);
}

async function signedProof(
  setting: PrivateKeyJwt,
  client: { clientId: string; issuer: string; environment: Environment },
): Promise<Record<string, string>> {
  const now = Math.floor(nowSeconds(client.environment));
  const header = { alg: setting.algorithm, ...(setting.keyId === undefined ? {} : { kid: setting.keyId }) };
  const claims = {
    iss: client.clientId,
    sub: client.clientId,
    aud: setting.audience ?? client.issuer,
    iat: now,
    exp: now + proofLifetimeSeconds,
    jti: randomText(client.environment),
  };
  const assertion =
    'sign' in setting ? await signedElsewhere(setting.sign, header, claims) : await signedHere(setting, header, claims);
  return { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer', client_assertion: assertion };
}

async function signedHere(
  setting: Extract<PrivateKeyJwt, { key: unknown }>,
  header: { alg: string; kid?: string },
  claims: Record<string, unknown>,
): Promise<string> {
  const key = setting.key instanceof CryptoKey ? setting.key : ((await importJWK(setting.key, setting.algorithm)) as CryptoKey);
  return new SignJWT(claims).setProtectedHeader(header).sign(key);
}

async function signedElsewhere(sign: SignBytes, header: object, claims: object): Promise<string> {
  const input = [header, claims].map(part => base64url.encode(JSON.stringify(part))).join('.');
  try {
    const signature = await sign(new TextEncoder().encode(input));
    if (!(signature instanceof Uint8Array) || signature.length === 0) throw new TypeError('sign() did not return a signature');
    return `${input}.${base64url.encode(signature)}`;
  } catch (cause) {
    throw new OidcError('OIDC_CLIENT_CREDENTIAL', { check: 'options.clientAuthentication.sign', expected: 'a signature', cause });
  }
}
