import { createPublicKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose';
import type { Config } from '../config/config.ts';
import type { Identity } from '../model/identity.ts';

const lifetimeSeconds = 60;

export interface IdentityTokens {
  sign(identity: Identity): Promise<string>;
  readonly jwks: { readonly keys: readonly object[] };
}

/**
 * Creates JWTs about the person, for an upstream that wants proof of where the headers come from. They are signed with ES256,
 * carry the configured audience and are valid for a minute.
 */
export async function createIdentityTokens(config: Config, now: () => Date): Promise<IdentityTokens | undefined> {
  if (config.identityToken === undefined) return undefined;
  const { audience, keys } = config.identityToken;
  const published = await Promise.all(
    keys.map(async key => {
      const jwk = await exportJWK(createPublicKey(key));
      return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: 'ES256', use: 'sig' };
    }),
  );
  const [key] = keys as readonly [KeyObject];
  const kid = published[0]?.kid ?? '';
  return {
    jwks: { keys: published },
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
