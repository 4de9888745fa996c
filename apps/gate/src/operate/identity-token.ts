import { createPrivateKey, createPublicKey } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose';
import type { Config } from '../config/config.ts';
import type { Identity } from '../model/identity.ts';

const lifetimeSeconds = 60;

export interface IdentityTokens {
  sign(identity: Identity): Promise<string>;
  readonly jwks: { readonly keys: readonly object[] };
}

/**
 * A JWT about the person for an upstream that wants proof of where the headers come from. Signed with ES256; it is for
 * the configured audience and good for a minute.
 * @throws when the key is no EC key on P-256
 */
export async function createIdentityTokens(config: Config, now: () => Date): Promise<IdentityTokens | undefined> {
  if (config.identityToken === undefined) return undefined;
  const { audience } = config.identityToken;
  const key = createPrivateKey(config.identityToken.key);
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error('identityToken.key must be a private key on the curve P-256 in PEM');
  const jwk = await exportJWK(createPublicKey(key));
  const kid = await calculateJwkThumbprint(jwk);
  return {
    jwks: { keys: [{ ...jwk, kid, alg: 'ES256', use: 'sig' }] },
    sign(identity: Identity): Promise<string> {
      const seconds = Math.floor(now().getTime() / 1000);
      const claims = {
        provider: identity.provider,
        original_iss: identity.issuer,
        ...(identity.isEmailTrusted && identity.email !== undefined
          ? { email: identity.email.address, email_verified: true }
          : {}),
        ...(identity.name === undefined ? {} : { name: identity.name }),
        groups: identity.groups,
      };
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid, typ: 'gate-identity+jwt' })
        .setIssuer(config.publicUrl)
        .setSubject(identity.subject)
        .setAudience(audience)
        .setIssuedAt(seconds)
        .setExpirationTime(seconds + lifetimeSeconds)
        .sign(key);
    },
  };
}
