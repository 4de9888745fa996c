import { importJWK, type JWK, SignJWT } from 'jose';
import { type AsymmetricAlgorithm, algorithmFacts, isHmac } from './algorithms.ts';
import { type Environment, nowSeconds, randomText } from './environment.ts';
import { OidcError } from './errors.ts';

/** How the client proves itself at the token and revocation endpoints (OpenID Connect Core §9). */
export type ClientAuthentication =
  | { method: 'client_secret_basic' | 'client_secret_post'; secret: string }
  | {
      method: 'private_key_jwt';
      key: CryptoKey | JWK;
      algorithm: AsymmetricAlgorithm;
      keyId?: string;
      /** Default: the issuer, alone, so that no other server can pass the proof on. Some providers want their token endpoint. */
      audience?: string;
    }
  /** A public client: an app or a page that can keep no secret. PKCE stands in. */
  | { method: 'none' };

/** What is added to a request to authenticate the client. */
export interface ClientProof {
  headers: Record<string, string>;
  parameters: Record<string, string>;
}

const proofLifetimeSeconds = 60;

/** Checks the setting. @throws {@link OidcError} `OIDC_CONFIG_INVALID` */
export function readClientAuthentication(setting: ClientAuthentication): ClientAuthentication {
  const invalid = (expected: string) => new OidcError('OIDC_CONFIG_INVALID', { check: 'clientAuthentication', expected });
  switch (setting?.method) {
    case 'client_secret_basic':
    case 'client_secret_post':
      if (typeof setting.secret !== 'string' || setting.secret === '') throw invalid('a secret that is not empty');
      return setting;
    case 'private_key_jwt':
      if (!algorithmFacts.has(setting.algorithm) || isHmac(setting.algorithm)) throw invalid('an asymmetric algorithm');
      if (!setting.key) throw invalid('a private key');
      return setting;
    case 'none':
      return setting;
    default:
      throw invalid('method client_secret_basic, client_secret_post, private_key_jwt or none');
  }
}

/** Makes the proof for one request. */
export async function proveClient(
  setting: ClientAuthentication,
  client: { clientId: string; issuer: string; environment: Environment },
): Promise<ClientProof> {
  const parameters = { client_id: client.clientId };
  switch (setting.method) {
    case 'client_secret_basic':
      // Each half is form-encoded before they are joined (RFC 6749 §2.3.1), or a colon in the id would move the border.
      return {
        headers: { authorization: `Basic ${btoa(`${formEncoded(client.clientId)}:${formEncoded(setting.secret)}`)}` },
        parameters,
      };
    case 'client_secret_post':
      return { headers: {}, parameters: { ...parameters, client_secret: setting.secret } };
    case 'private_key_jwt':
      return { headers: {}, parameters: { ...parameters, ...(await signedProof(setting, client)) } };
    case 'none':
      return { headers: {}, parameters };
  }
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

async function signedProof(
  setting: Extract<ClientAuthentication, { method: 'private_key_jwt' }>,
  client: { clientId: string; issuer: string; environment: Environment },
): Promise<Record<string, string>> {
  const now = Math.floor(nowSeconds(client.environment));
  const key = setting.key instanceof CryptoKey ? setting.key : ((await importJWK(setting.key, setting.algorithm)) as CryptoKey);
  const assertion = await new SignJWT({ jti: randomText(client.environment) })
    .setProtectedHeader({ alg: setting.algorithm, ...(setting.keyId === undefined ? {} : { kid: setting.keyId }) })
    .setIssuer(client.clientId)
    .setSubject(client.clientId)
    .setAudience(setting.audience ?? client.issuer)
    .setIssuedAt(now)
    .setExpirationTime(now + proofLifetimeSeconds)
    .sign(key);
  return { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer', client_assertion: assertion };
}
