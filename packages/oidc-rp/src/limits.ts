import { type Check, may, members, wholeNumber } from './shape.ts';

/** Every number that bounds what a provider or a browser can make this package do. Units stand in the names. */
export interface Limits {
  /** One exchange with the provider, connection to last byte. */
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
  /** How long a discovery document is believed when its answer names no `max-age`. */
  metadataMaxAgeSeconds: number;
  /** How long a key set is believed when its answer names no `max-age`; then a fresh one is waited for. */
  jwksMaxAgeSeconds: number;
  /** A shorter `max-age` of the provider is raised to this. */
  minCacheSeconds: number;
  /** A longer `max-age` of the provider is lowered to this. */
  maxCacheSeconds: number;
  /** How long keys and metadata are still served while the provider does not answer. */
  maxStaleSeconds: number;
  /** Fetches of one address that may follow each other at once. */
  refetchBurst: number;
  /** After a burst, one more fetch per this many seconds. */
  refetchIntervalSeconds: number;
  /**
   * Up to which the interval doubles with each fetch of the key set that a token which anybody may send caused in vain. Below a minute, because a true new
   * key may wait for so long while somebody sends invented ones; those of the provider's own answers do not.
   */
  longestRefetchIntervalSeconds: number;
  /** How long a person may take at the provider. */
  pendingLifetimeSeconds: number;
  /** The age at which a logout token is too old. */
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
