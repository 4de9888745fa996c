import { type Check, may, members, wholeNumber } from './values/shape.ts';

/** Every number that bounds what a provider or a browser can make this package do. The names include the units. */
export interface Limits {
  /** One exchange with the provider, from connection to last byte. */
  requestTimeoutMs: number;
  /** Discovery document, token response, UserInfo response. */
  maxResponseBytes: number;
  /** The key set of the provider. */
  maxJwksBytes: number;
  /** Keys in a key set. */
  maxJwksKeys: number;
  /** A signed or encrypted token in compact form. */
  maxTokenBytes: number;
  /** The encoded header of a token. */
  maxTokenHeaderBytes: number;
  /** A callback or logout request: query or form body. */
  maxRequestBytes: number;
  /** How long a discovery document is cached when its response has no `max-age`. */
  metadataMaxAgeSeconds: number;
  /** How long a key set is cached when its response has no `max-age`; after that, verification waits for a fresh one. */
  jwksMaxAgeSeconds: number;
  /** The provider's `max-age` is raised to at least this. */
  minCacheSeconds: number;
  /** The provider's `max-age` is lowered to at most this. */
  maxCacheSeconds: number;
  /** How long keys and metadata are still served while the provider does not answer. */
  maxStaleSeconds: number;
  /** Fetches of one URL that may follow each other at once. */
  refetchBurst: number;
  /** After such a burst, one more fetch is allowed each time this has passed. */
  refetchIntervalSeconds: number;
  /**
   * The interval doubles, up to this, with each fetch of the key set that brought nothing new and was caused by a token that
   * anybody may send. Below a minute, because a genuine new key may have to wait this long while an attacker sends invented ones.
   * Keys in the provider's own answers do not wait.
   */
  longestRefetchIntervalSeconds: number;
  /** How long a person may take at the provider. */
  pendingLifetimeSeconds: number;
  /** Logout tokens that are older than this are refused. */
  logoutTokenMaxAgeSeconds: number;
}

/** The limits used unless others are given. */
export const defaultLimits: Limits = {
  requestTimeoutMs: 5_000,
  maxResponseBytes: 1_048_576,
  maxJwksBytes: 262_144,
  maxJwksKeys: 100,
  maxTokenBytes: 65_536,
  maxTokenHeaderBytes: 8_192,
  maxRequestBytes: 65_536,
  metadataMaxAgeSeconds: 3_600,
  jwksMaxAgeSeconds: 600,
  minCacheSeconds: 60,
  maxCacheSeconds: 3_600,
  maxStaleSeconds: 86_400,
  refetchBurst: 2,
  refetchIntervalSeconds: 5,
  longestRefetchIntervalSeconds: 40,
  pendingLifetimeSeconds: 600,
  logoutTokenMaxAgeSeconds: 180,
};

const bytes = wholeNumber(1, 67_108_864);
const seconds = wholeNumber(1, 31_536_000);

/** The shape of the limits that may be given. */
export const limitsShape: Check = members<Partial<Limits>>({
  requestTimeoutMs: may(wholeNumber(1, 600_000)),
  maxResponseBytes: may(bytes),
  maxJwksBytes: may(bytes),
  maxJwksKeys: may(wholeNumber(1, 10_000)),
  maxTokenBytes: may(bytes),
  maxTokenHeaderBytes: may(bytes),
  maxRequestBytes: may(bytes),
  metadataMaxAgeSeconds: may(seconds),
  jwksMaxAgeSeconds: may(seconds),
  minCacheSeconds: may(seconds),
  maxCacheSeconds: may(seconds),
  maxStaleSeconds: may(wholeNumber(0, 31_536_000)),
  refetchBurst: may(wholeNumber(1, 1_000)),
  refetchIntervalSeconds: may(seconds),
  longestRefetchIntervalSeconds: may(seconds),
  pendingLifetimeSeconds: may(wholeNumber(1, 86_400)),
  logoutTokenMaxAgeSeconds: may(wholeNumber(1, 86_400)),
});
