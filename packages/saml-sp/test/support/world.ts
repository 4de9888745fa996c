import type { IdentityProvider, IdentityProviderPolicy } from '../../src/idp/identity-provider.ts';
import { strictPolicy } from '../../src/idp/identity-provider.ts';
import { publicKeyOfCertificate } from '../../src/keys/key-material.ts';
import { ServiceProvider } from '../../src/service-provider.ts';
import type { PendingSignIn, PendingSignOut } from '../../src/sign-in/pending.ts';
import type { ServiceProviderOptions } from '../../src/sp/configuration.ts';
import { MemoryReplayStore } from '../../src/sp/replay.ts';
import { bindings } from '../../src/xml/names.ts';
import { type KeyName, testKey } from './keys.ts';

/** The names, addresses and the moment of every fixture. */
export const sp = {
  entityId: 'https://sp.example.org/saml',
  acs: 'https://sp.example.org/saml/acs',
  slo: 'https://sp.example.org/saml/slo',
};
export const idp = {
  entityId: 'https://idp.example.edu/metadata',
  sso: 'https://idp.example.edu/sso',
  slo: 'https://idp.example.edu/slo',
};
export const now = new Date('2026-11-20T12:00:00Z');
/** An instant some seconds from the moment of the fixtures. */
export const at = (seconds: number): string => `${new Date(now.getTime() + seconds * 1000).toISOString().slice(0, 19)}Z`;

/** The same as a pending sign-in writes it: seconds since 1970. */
export const secondsAt = (seconds: number): number => now.getTime() / 1000 + seconds;

export const pending: PendingSignIn = {
  requestId: '_request1',
  identityProvider: idp.entityId,
  relayState: 'relay-1',
  assertionConsumerServiceUrl: sp.acs,
  startedAt: secondsAt(-30),
  expiresAt: secondsAt(570),
  forceAuthn: false,
  authnContexts: [],
  authnContextComparison: 'exact',
  returnTo: '/notes',
};

export const pendingLogout: PendingSignOut = {
  requestId: '_logout1',
  identityProvider: idp.entityId,
  relayState: 'relay-2',
  startedAt: secondsAt(-30),
  expiresAt: secondsAt(570),
};

/** The identity provider as our side knows it. */
export function knownIdp(
  policy: Partial<IdentityProviderPolicy> = {},
  keys: readonly KeyName[] = ['idp', 'idp-ec'],
): IdentityProvider {
  const both = [bindings.redirect, bindings.post, bindings.soap];
  return {
    entityId: idp.entityId,
    signingKeys: keys.map(name => publicKeyOfCertificate(testKey(name).certificate)),
    encryptionKeys: [],
    singleSignOn: both.map(binding => ({ binding, location: idp.sso, responseLocation: idp.sso })),
    singleLogout: both.map(binding => ({ binding, location: idp.slo, responseLocation: idp.slo })),
    wantAuthnRequestsSigned: false,
    scopes: ['example.edu'],
    nameIdFormats: [],
    errorUrl: undefined,
    validUntil: undefined,
    policy: { ...strictPolicy, ...policy },
  };
}

/** A second provider, honest but another one. */
export const otherIdp = (): IdentityProvider => ({
  ...knownIdp({}, ['other']),
  entityId: 'https://other.example.com/metadata',
});

/** A service provider with a clock that stands still and an empty memory. */
export function createServiceProvider(options: Partial<ServiceProviderOptions> = {}): ServiceProvider {
  const pair = (name: KeyName) => ({ privateKey: testKey(name).privateKey, certificate: testKey(name).certificate });
  return new ServiceProvider({
    entityId: sp.entityId,
    assertionConsumerServiceUrl: sp.acs,
    singleLogoutServiceUrl: sp.slo,
    signingKeys: [pair('sp')],
    decryptionKeys: [pair('sp-next'), pair('sp')],
    identityProviders: [knownIdp(), otherIdp()],
    replayStore: new MemoryReplayStore({ now: () => now }),
    now: () => now,
    ...options,
  });
}

/** The form that carries a Response to the assertion consumer service. */
export const postResponse = (xml: string | Uint8Array, relayState: string | undefined = pending.relayState) => ({
  method: 'POST',
  url: '/saml/acs',
  contentType: 'application/x-www-form-urlencoded',
  body:
    `SAMLResponse=${encodeURIComponent(Buffer.from(xml).toString('base64'))}` +
    (relayState === undefined ? '' : `&RelayState=${encodeURIComponent(relayState)}`),
});
