import { randomBytes } from 'node:crypto';
import { SamlError } from '../errors.ts';
import {
  directoryOf,
  type IdentityProvider,
  type IdentityProviderDirectory,
  identityProviderReader,
} from '../idp/identity-provider.ts';
import { type KeyPair, keyPairReader, type LoadedKeyPair, loadKeyPair } from '../keys/key-material.ts';
import type { Clock } from '../values/instant.ts';
import { endpointReader } from '../values/safe-endpoint.ts';
import { either, fn, having, listOf, number, optional, readShape, shape, text } from '../values/shape.ts';
import type { AuditEvent } from './audit.ts';
import type { ReplayStore } from './replay.ts';

/** The options of a service provider. */
export interface ServiceProviderOptions {
  /** Our own entity ID: preferably an absolute URI, at most 1024 characters without blanks. */
  entityId: string;
  /**
   * Where Responses are posted to: https, or http on a loopback address. Compared exactly. If there are several, the first is the
   * default.
   */
  assertionConsumerServiceUrl: string | readonly string[];
  /** Where logout messages arrive. Without it, Single Logout is off. */
  singleLogoutServiceUrl?: string;
  /** Where a discovery service returns the visitor to. */
  discoveryResponseUrl?: string;
  /** The first one signs; all are published, so that the next one is known before it is used. */
  signingKeys?: readonly KeyPair[];
  /** All are tried; all are published (RSA only). */
  decryptionKeys?: readonly KeyPair[];
  /** A list, or a directory that may change. */
  identityProviders: readonly IdentityProvider[] | IdentityProviderDirectory;
  /** Makes request and assertion IDs usable only once. Several processes must share one. */
  replayStore: ReplayStore;
  /**
   * Also accept sign-ins by SAML artifact: the browser delivers a reference, and the Response is fetched from the provider, in a
   * request signed by us. Needs a signing key. Off by default; `{}` enables it.
   */
  artifactResolution?: {
    /** How long one request may take, in seconds; default 10. */
    timeoutSeconds?: number;
  };
  /** Fetches Responses for artifacts, the only outgoing calls. Pass one with a client certificate if a provider asks for it. */
  fetch?: typeof globalThis.fetch;
  /** How many seconds the clocks may differ, 0 to 300; default 60. */
  clockToleranceSeconds?: number;
  /** How long a sign-in or sign-out may be under way, in seconds, 10 to 86,400; default 600. */
  requestLifetimeSeconds?: number;
  /** Called for every message that was accepted or refused, for a log. Exceptions from it are ignored. */
  audit?: (event: AuditEvent) => void;
  /** The clock. */
  now?: () => Date;
  /** Returns secure random bytes. */
  randomBytes?: (size: number) => Uint8Array;
}

/** The options, parsed and checked once. */
export interface Configuration {
  entityId: string;
  /** The default. */
  assertionConsumerServiceUrl: string;
  assertionConsumerServiceUrls: readonly string[];
  singleLogoutServiceUrl: string | undefined;
  discoveryResponseUrl: string | undefined;
  signingKeys: readonly LoadedKeyPair[];
  decryptionKeys: readonly LoadedKeyPair[];
  identityProviders: IdentityProviderDirectory;
  replayStore: ReplayStore;
  /** Undefined: artifacts are not accepted. */
  artifactResolution: { timeoutSeconds: number; fetch: typeof globalThis.fetch } | undefined;
  clockToleranceSeconds: number;
  requestLifetimeSeconds: number;
  audit: (event: AuditEvent) => void;
  now: () => Date;
  randomBytes: (size: number) => Uint8Array;
}

/** An absolute URI identifies us best, but some providers were set up with a plain word. */
const entityName = text(
  'an entity ID: 1 to 1024 characters without whitespace',
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
    'a store with claim() and release(): without it, a stolen assertion works twice',
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

/** An unsigned request would be refused, and if not, would let anybody fetch our messages. */
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

/** The clock at this moment. */
export const clockOf = (configuration: Configuration): Clock => ({
  now: configuration.now(),
  toleranceSeconds: configuration.clockToleranceSeconds,
});

/** Whole seconds since 1970: messages are dated to the second. */
export const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000);
export const dateOf = (seconds: number): Date => new Date(seconds * 1000);

/** A fresh message ID: 160 random bits after an underscore, so that it is an NCName (saml-core-2.0 1.3.4). */
export const createId = (configuration: Configuration): string =>
  `_${Buffer.from(configuration.randomBytes(20)).toString('hex')}`;

/** Tells an outage from a refusal: after an outage the same message may be tried again. */
async function reach<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof SamlError) throw cause;
    throw new SamlError('SAML_STORE_UNAVAILABLE', 'the replay store did not respond', { cause });
  }
}

/** Claims a key once or throws: the one atomic step of replay protection. Any result but `true` is a refusal. */
export async function claimOnce(configuration: Configuration, key: string, until: Date): Promise<void> {
  const late = new Date(until.getTime() + configuration.clockToleranceSeconds * 1000 + 1000);
  const claimed = await reach(() => configuration.replayStore.claim(key, late));
  if (claimed !== true) throw new SamlError('SAML_REPLAYED', 'the request or assertion has been used before');
}

/** Gives a claim back after an outage; if this fails too, nothing changes. */
export async function releaseClaim(configuration: Configuration, key: string): Promise<void> {
  await reach(() => configuration.replayStore.release(key)).catch(() => undefined);
}
