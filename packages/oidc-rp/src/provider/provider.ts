import type { Configuration } from '../client/configuration.ts';
import { CachedDocument, type Loaded } from '../http/cached-document.ts';
import { GrowingPause } from '../http/growing-pause.ts';
import { TokenBucket } from '../http/token-bucket.ts';
import type { ProviderMetadata } from '../issuer/provider-metadata.ts';
import { isHmac } from '../keys/algorithms.ts';
import { fetchKeySet, type KeySource, publishedKeySource } from '../keys/jwks.ts';
import type { IdTokenRules } from '../tokens/id-token.ts';
import { discover } from './discovery.ts';

/** The current state of one provider. */
export interface Provider {
  metadata: () => Promise<ProviderMetadata>;
  /** The published keys, for tokens that anybody may have sent. */
  keys: KeySource;
  /** The same keys, for the provider's own answers: only the provider can make those name an unknown key. */
  answerKeys: KeySource;
  /** For ID Tokens that anybody may have sent. */
  idTokenRules: IdTokenRules;
  /** For ID Tokens from the token endpoint. */
  answerRules: IdTokenRules;
}

/** Connects a configuration to its provider. Nothing is fetched before it is needed. */
export function createProvider(configuration: Configuration): Provider {
  const { metadata: given } = configuration;
  const discovered = cached(configuration, () => discover(configuration));
  const metadata = given === undefined ? () => discovered.get() : async () => given;
  const document = cached(configuration, async () => fetchKeySet(configuration, new URL((await metadata()).jwks_uri)));
  const { environment, issuerRule, limits } = configuration;
  const suspicion = () => new TokenBucket(1, suspicionSeconds, environment.now);
  const pause = new GrowingPause(limits.refetchIntervalSeconds, limits.longestRefetchIntervalSeconds, environment.now);
  const keys = publishedKeySource({ document, issuerRule, suspicion: suspicion(), pause });
  const answerKeys = publishedKeySource({ document, issuerRule, suspicion: suspicion() });
  return {
    metadata,
    keys,
    answerKeys,
    idTokenRules: idTokenRules(configuration, keys),
    answerRules: idTokenRules(configuration, answerKeys),
  };
}

// A changed key under a known id is found within this time, and invalid signatures cause at most one fetch from the provider in it.
const suspicionSeconds = 60;

function cached<T>({ limits, environment }: Configuration, load: () => Promise<Loaded<T>>): CachedDocument<T> {
  const bucket = new TokenBucket(limits.refetchBurst, limits.refetchIntervalSeconds, environment.now);
  return new CachedDocument({ load, maxStaleSeconds: limits.maxStaleSeconds, bucket, now: environment.now });
}

function idTokenRules(configuration: Configuration, published: KeySource): IdTokenRules {
  return {
    issuerRule: configuration.issuerRule,
    clientId: configuration.clientId,
    algorithms: configuration.idTokenAlgorithms,
    keys: configuration.idTokenAlgorithms.some(isHmac) ? secretKeySource(configuration) : published,
    decryption: configuration.idTokenDecryption,
    toleranceSeconds: configuration.clockToleranceSeconds,
    knownHeaders: new Map(),
    limits: configuration.limits,
  };
}

// The only source of HMAC keys: no published key ever gets here, whatever a token's header says.
function secretKeySource({ clientAuthentication }: Configuration): KeySource {
  const given = 'secret' in clientAuthentication ? clientAuthentication.secret : '';
  const secret = new TextEncoder().encode(typeof given === 'string' ? given : '');
  const imported = new Map<string, Promise<CryptoKey>>();
  return {
    find: async ({ alg }) => {
      const known =
        imported.get(alg) ??
        crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: `SHA-${alg.slice(2)}` }, false, ['verify']);
      imported.set(alg, known);
      return [await known];
    },
  };
}
