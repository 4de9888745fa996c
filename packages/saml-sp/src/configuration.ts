import { randomBytes } from 'node:crypto';
import { SamlError } from './errors.ts';
import { directoryOf, type IdentityProvider, type IdentityProviderDirectory } from './identity-provider.ts';
import type { Clock } from './instant.ts';
import { type KeyPair, type LoadedKeyPair, loadKeyPair } from './key-material.ts';
import type { ReplayStore } from './replay.ts';

/** Everything a service provider is made of. */
export interface ServiceProviderOptions {
  /** Our own entity ID: an absolute URI of at most 1024 characters. */
  entityId: string;
  /** Where Responses are posted to: https, or http on a loopback address. Compared exactly. */
  assertionConsumerServiceUrl: string;
  /** Where logout messages arrive. Without it there is no Single Logout. */
  singleLogoutServiceUrl?: string;
  /** Where a discovery service sends the visitor back to. */
  discoveryResponseUrl?: string;
  /** The first one signs; all are published, so that a next one is known before it is used. */
  signingKeys?: readonly KeyPair[];
  /** All are tried; all are published (RSA only). */
  decryptionKeys?: readonly KeyPair[];
  /** A list, or a directory that may change. */
  identityProviders: readonly IdentityProvider[] | IdentityProviderDirectory;
  /** One-time use of request and assertion IDs. */
  replayStore: ReplayStore;
  /** How far clocks may differ, in seconds: 60 unless said, 300 at most. */
  clockSkewSeconds?: number;
  /** How long a sign-in or logout may be under way, in seconds: 600 unless said. */
  requestLifetimeSeconds?: number;
  /** The clock. */
  now?: () => Date;
  /** Secure random bytes. */
  randomBytes?: (size: number) => Uint8Array;
}

/** The options, read and checked once. */
export interface Configuration {
  entityId: string;
  assertionConsumerServiceUrl: string;
  singleLogoutServiceUrl: string | undefined;
  discoveryResponseUrl: string | undefined;
  signingKeys: readonly LoadedKeyPair[];
  decryptionKeys: readonly LoadedKeyPair[];
  identityProviders: IdentityProviderDirectory;
  replayStore: ReplayStore;
  clockSkewSeconds: number;
  requestLifetimeSeconds: number;
  now: () => Date;
  randomBytes: (size: number) => Uint8Array;
}

const known = new Set([
  'entityId',
  'assertionConsumerServiceUrl',
  'singleLogoutServiceUrl',
  'discoveryResponseUrl',
  'signingKeys',
  'decryptionKeys',
  'identityProviders',
  'replayStore',
  'clockSkewSeconds',
  'requestLifetimeSeconds',
  'now',
  'randomBytes',
]);

const refuse = (message: string): never => {
  throw new SamlError('SAML_CONFIG_INVALID', message);
};

/** Is it an https address, or http on this very machine, without credentials or fragment? `javascript:` and the like never are (V40). */
export function isSafeEndpoint(address: string): boolean {
  if (!URL.canParse(address) || /[\s"'<>\\^`{|}]/.test(address)) return false;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '' || url.hash !== '' || address.includes('#')) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname));
}

const requireEndpoint = (name: string, address: string): string =>
  isSafeEndpoint(address) ? address : refuse(`${name} must be an https address (http only on loopback)`);

const between = (name: string, value: number, least: number, most: number): number =>
  Number.isFinite(value) && value >= least && value <= most ? value : refuse(`${name} must be from ${least} to ${most}`);

const isDirectory = (value: ServiceProviderOptions['identityProviders']): value is IdentityProviderDirectory =>
  'find' in value && !Array.isArray(value);

function readDecryptionKeys(pairs: readonly KeyPair[]): LoadedKeyPair[] {
  const keys = pairs.map(loadKeyPair);
  if (keys.some(key => key.privateKey.asymmetricKeyType !== 'rsa')) refuse('a decryption key must be RSA');
  return keys;
}

function requireKnownOptions(options: ServiceProviderOptions): void {
  for (const name of Object.keys(options)) if (!known.has(name)) refuse(`unknown option ${name}`);
  if (
    typeof options.entityId !== 'string' ||
    options.entityId.length > 1024 ||
    !/^[A-Za-z][A-Za-z0-9+.-]*:\S+$/.test(options.entityId)
  ) {
    refuse('entityId must be an absolute URI of at most 1024 characters');
  }
  if (typeof options.replayStore?.claim !== 'function')
    refuse('replayStore is required: without it a stolen assertion works twice');
}

/**
 * Reads the options of a service provider.
 * @throws SamlError `SAML_CONFIG_INVALID` or `SAML_KEY`, naming the option
 */
export function readConfiguration(options: ServiceProviderOptions): Configuration {
  requireKnownOptions(options);
  const optional = (name: 'singleLogoutServiceUrl' | 'discoveryResponseUrl'): string | undefined => {
    const address = options[name];
    return address === undefined ? undefined : requireEndpoint(name, address);
  };
  return {
    entityId: options.entityId,
    assertionConsumerServiceUrl: requireEndpoint('assertionConsumerServiceUrl', options.assertionConsumerServiceUrl),
    singleLogoutServiceUrl: optional('singleLogoutServiceUrl'),
    discoveryResponseUrl: optional('discoveryResponseUrl'),
    signingKeys: (options.signingKeys ?? []).map(loadKeyPair),
    decryptionKeys: readDecryptionKeys(options.decryptionKeys ?? []),
    identityProviders: isDirectory(options.identityProviders)
      ? options.identityProviders
      : directoryOf(options.identityProviders),
    replayStore: options.replayStore,
    clockSkewSeconds: between('clockSkewSeconds', options.clockSkewSeconds ?? 60, 0, 300),
    requestLifetimeSeconds: between('requestLifetimeSeconds', options.requestLifetimeSeconds ?? 600, 10, 86_400),
    now: options.now ?? (() => new Date()),
    randomBytes: options.randomBytes ?? randomBytes,
  };
}

/** The clock of this moment. */
export const clockOf = (configuration: Configuration): Clock => ({
  now: configuration.now(),
  skewSeconds: configuration.clockSkewSeconds,
});

/** A fresh message ID: 160 random bits after an underscore, so that it is an NCName (saml-core-2.0 1.3.4). */
export const createId = (configuration: Configuration): string =>
  `_${Buffer.from(configuration.randomBytes(20)).toString('hex')}`;

/** Claims a key once, or refuses: the one atomic step of replay protection. */
export async function claimOnce(configuration: Configuration, key: string, until: Date): Promise<void> {
  const late = new Date(until.getTime() + configuration.clockSkewSeconds * 1000 + 1000);
  if (!(await configuration.replayStore.claim(key, late))) throw new SamlError('SAML_REPLAYED', 'this has been used before');
}
