import { SignJWT } from 'jose';
import type { RelyingPartyOptions, SignBytes } from '../src/index.ts';

type Settings = Omit<RelyingPartyOptions, 'redirectUri'>;

/** Microsoft Entra ID for the accounts of several organizations. Without `entraTenants`, give the issuer of your one tenant. */
export const entra = (clientId: string, secret: string, tenants: readonly string[]): Settings => ({
  issuer: 'https://login.microsoftonline.com/organizations/v2.0',
  entraTenants: tenants,
  clientId,
  clientAuthentication: { method: 'client_secret_post', secret },
  scopes: ['openid', 'email', 'profile'],
});

/** Apple: the secret is a token that you sign, and the answer comes as a form. */
export const apple = (clientId: string, team: string, keyId: string, key: CryptoKey): Settings => ({
  issuer: 'https://appleid.apple.com',
  clientId,
  clientAuthentication: {
    method: 'client_secret_post',
    secret: () =>
      new SignJWT()
        .setProtectedHeader({ alg: 'ES256', kid: keyId })
        .setIssuer(team)
        .setSubject(clientId)
        .setAudience('https://appleid.apple.com')
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(key),
  },
  responseMode: 'form_post',
  scopes: ['openid', 'email', 'name'],
});

/** A provider of the FAPI 2.0 Security Profile. The key of the client stays in a key management service. */
export const bank = (issuer: string, clientId: string, sign: SignBytes, pair: CryptoKeyPair): Settings => ({
  issuer,
  clientId,
  securityProfile: 'fapi2',
  clientAuthentication: { method: 'private_key_jwt', algorithm: 'ES256', keyId: 'client-2027', sign },
  dpop: { algorithm: 'ES256', ...pair },
  idTokenAlgorithms: ['ES256'],
});
