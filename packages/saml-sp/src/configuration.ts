import { randomBytes } from 'node:crypto';
import type { AuditEvent } from './audit.ts';
import { SamlError } from './errors.ts';
import {
  directoryOf,
  type IdentityProvider,
  type IdentityProviderDirectory,
  identityProviderReader,
} from './identity-provider.ts';
import type { Clock } from './instant.ts';
import { type KeyPair, keyPairReader, type LoadedKeyPair, loadKeyPair } from './key-material.ts';
import type { ReplayStore } from './replay.ts';
import { endpointReader } from './safe-endpoint.ts';
import { either, fn, having, listOf, number, optional, readShape, shape, text } from './shape.ts';

/** Everything a service provider is made of. */
export interface ServiceProviderOptions {
  /** Our own entity ID: best an absolute URI, at most 1024 characters without blanks. */
  entityId: string;
  /** Where Responses are posted to: https, or http on a loopback address. Compared exactly. Of several the first is the default. */
  assertionConsumerServiceUrl: string | readonly string[];
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
  /** One-time use of request and assertion IDs. Several processes need one that all of them see. */
  replayStore: ReplayStore;
  /**
   * Take sign-ins by SAML artifact too: the browser brings a reference, and the Response is fetched from the provider, signed
   * by us. Needs a signing key. Off unless given; `{}` switches it on.
   */
  artifactResolution?: {
    /** How long one question may take, in seconds: 10 unless said. */
    timeoutSeconds?: number;
  };
  /** Fetches Responses for artifacts; nothing else in here calls out. Give one with a client certificate where a provider asks for it. */
  fetch?: typeof globalThis.fetch;
  /** By how many seconds the clocks may differ, 0 to 300: 60 unless said. */
  clockToleranceSeconds?: number;
  /** How long a sign-in or sign-out may be under way, in seconds, 10 to 86,400: 600 unless said. */
  requestLifetimeSeconds?: number;
  /** Told of every message that was accepted or refused, for a log. What it throws is ignored. */
  audit?: (event: AuditEvent) => void;
  /** The clock. */
  now?: () => Date;
  /** Secure random bytes. */
  randomBytes?: (size: number) => Uint8Array;
}

/** The options, read and checked once. */
export interface Configuration {
  entityId: string;
  /** The default one. */
  assertionConsumerServiceUrl: string;
  assertionConsumerServiceUrls: readonly string[];
  singleLogoutServiceUrl: string | undefined;
  discoveryResponseUrl: string | undefined;
  signingKeys: readonly LoadedKeyPair[];
  decryptionKeys: readonly LoadedKeyPair[];
  identityProviders: IdentityProviderDirectory;
  replayStore: ReplayStore;
  /** Undefined: no artifacts are taken. */
  artifactResolution: { timeoutSeconds: number; fetch: typeof globalThis.fetch } | undefined;
  clockToleranceSeconds: number;
  requestLifetimeSeconds: number;
  audit: (event: AuditEvent) => void;
  now: () => Date;
  randomBytes: (size: number) => Uint8Array;
}

/** An absolute URI says who we are best; some providers were set up with a plain word. */
const entityName = text(
  'an entity ID: 1 to 1024 characters without blanks',
  value => value.length <= 1024 && /^\S+$/.test(value),
);
const addresses = either(endpointReader, listOf(endpointReader, 'addresses', 100), 'an https address or an array of them');
const providerList = listOf(identityProviderReader, 'identity providers', 100_000);
const directory = having<IdentityProviderDirectory>('an array of identity providers or a directory with find()', 'find');

const reader = shape({
  entityId: entityName,
  assertionConsumerServiceUrl: addresses,
  singleLogoutServiceUrl: optional(endpointReader),
  discoveryResponseUrl: optional(endpointReader),
  signingKeys: optional(listOf(keyPairReader, 'key pairs', 20)),
  decryptionKeys: optional(listOf(keyPairReader, 'key pairs', 20)),
  identityProviders: (value, path) => (Array.isArray(value) ? providerList : directory)(value, path),
  replayStore: having<ReplayStore>(
    'a store with claim() and release(): without it a stolen assertion works twice',
    'claim',
    'release',
  ),
  artifactResolution: optional(shape({ timeoutSeconds: optional(number(0.01, 60)) })),
  fetch: optional(fn<typeof globalThis.fetch>()),
  clockToleranceSeconds: optional(number(0, 300)),
  requestLifetimeSeconds: optional(number(10, 86_400)),
  audit: optional(fn<(event: AuditEvent) => void>()),
  now: optional(fn<() => Date>()),
  randomBytes: optional(fn<(size: number) => Uint8Array>()),
});

function readDecryptionKeys(pairs: readonly KeyPair[]): LoadedKeyPair[] {
  const keys = pairs.map(loadKeyPair);
  if (keys.some(key => key.privateKey.asymmetricKeyType !== 'rsa'))
    throw new SamlError('SAML_CONFIG_INVALID', 'options.decryptionKeys: a decryption key must be RSA');
  return keys;
}

function readAddresses(given: string | readonly string[]): readonly [string, ...string[]] {
  const [first, ...others] = typeof given === 'string' ? [given] : given;
  if (first === undefined || new Set([first, ...others]).size !== others.length + 1)
    throw new SamlError('SAML_CONFIG_INVALID', 'options.assertionConsumerServiceUrl: expected different addresses, at least one');
  return [first, ...others];
}

/** An unsigned question would be refused, and would let anybody fetch our messages. */
function readArtifactResolution(read: ReturnType<typeof reader>): Configuration['artifactResolution'] {
  if (read.artifactResolution === undefined) return undefined;
  if ((read.signingKeys ?? []).length === 0)
    throw new SamlError('SAML_CONFIG_INVALID', 'options.artifactResolution: needs a signing key');
  return { timeoutSeconds: read.artifactResolution.timeoutSeconds ?? 10, fetch: read.fetch ?? globalThis.fetch };
}

/**
 * Reads the options of a service provider.
 * @throws SamlError `SAML_CONFIG_INVALID` or `SAML_KEY`, naming the option
 */
export function readConfiguration(options: ServiceProviderOptions): Configuration {
  const read = readShape(options, 'options', reader);
  const consumers = readAddresses(read.assertionConsumerServiceUrl);
  const { identityProviders: known } = read;
  return {
    entityId: read.entityId,
    assertionConsumerServiceUrl: consumers[0],
    assertionConsumerServiceUrls: consumers,
    singleLogoutServiceUrl: read.singleLogoutServiceUrl,
    discoveryResponseUrl: read.discoveryResponseUrl,
    signingKeys: (read.signingKeys ?? []).map(loadKeyPair),
    decryptionKeys: readDecryptionKeys(read.decryptionKeys ?? []),
    identityProviders: Array.isArray(known) ? directoryOf(known) : (known as IdentityProviderDirectory),
    replayStore: read.replayStore,
    artifactResolution: readArtifactResolution(read),
    clockToleranceSeconds: read.clockToleranceSeconds ?? 60,
    requestLifetimeSeconds: read.requestLifetimeSeconds ?? 600,
    audit: read.audit ?? (() => {}),
    now: read.now ?? (() => new Date()),
    randomBytes: read.randomBytes ?? randomBytes,
  };
}

/** The clock of this moment. */
export const clockOf = (configuration: Configuration): Clock => ({
  now: configuration.now(),
  toleranceSeconds: configuration.clockToleranceSeconds,
});

/** Seconds since 1970, whole ones: messages are dated to the second. */
export const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000);
export const dateOf = (seconds: number): Date => new Date(seconds * 1000);

/** A fresh message ID: 160 random bits after an underscore, so that it is an NCName (saml-core-2.0 1.3.4). */
export const createId = (configuration: Configuration): string =>
  `_${Buffer.from(configuration.randomBytes(20)).toString('hex')}`;

/** An outage is told apart from a refusal: the same message may be tried again. */
async function reach<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof SamlError) throw cause;
    throw new SamlError('SAML_STORE_UNAVAILABLE', 'the replay store did not answer', { cause });
  }
}

/** Claims a key once, or refuses: the one atomic step of replay protection. Anything but `true` is a refusal. */
export async function claimOnce(configuration: Configuration, key: string, until: Date): Promise<void> {
  const late = new Date(until.getTime() + configuration.clockToleranceSeconds * 1000 + 1000);
  const claimed = await reach(() => configuration.replayStore.claim(key, late));
  if (claimed !== true) throw new SamlError('SAML_REPLAYED', 'this has been used before');
}

/** Gives a claim back after an outage; that this fails too changes nothing. */
export async function releaseClaim(configuration: Configuration, key: string): Promise<void> {
  await reach(() => configuration.replayStore.release(key)).catch(() => undefined);
}
