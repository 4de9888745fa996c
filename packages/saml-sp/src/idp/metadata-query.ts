import { SamlError } from '../errors.ts';
import { endpointReader } from '../values/safe-endpoint.ts';
import { fn, number, optional, type Reader, readShape, shape } from '../values/shape.ts';
import { AnswerCache } from './answer-cache.ts';
import type { IdentityProvider, IdentityProviderDirectory } from './identity-provider.ts';
import { type IdpMetadataOptions, sourceOptions } from './idp-metadata.ts';
import { readMetadataAside } from './large-metadata.ts';
import { fetchMetadata, UnexpectedStatus } from './metadata-fetch.ts';

/** The options for a federation's service that answers for one entity at a time. */
export interface MetadataQueryOptions extends Omit<IdpMetadataOptions, 'now' | 'onLeftOut' | 'maxBytes'> {
  /** Base URL: entities are requested at `{url}/entities/{entity ID}`. */
  url: string;
  /** How long an answer is used, in seconds, 60 to 86,400. Default 3600, or less when the answer asks for it. */
  cacheSeconds?: number;
  /**
   * How many providers are kept, and equally many names that do not exist; default 1,000. Beyond that, the least recently used
   * goes first.
   */
  maxEntries?: number;
  /** How many fetches may run at once; default 10. Anybody can name an entity that does not exist. */
  maxFetches?: number;
  /** How long one fetch may take, in seconds; default 10. */
  timeoutSeconds?: number;
  fetch?: typeof globalThis.fetch;
  now?: () => Date;
}

const { onLeftOut: _, maxBytes: __, ...trust } = sourceOptions;
const optionsReader = shape({
  ...trust,
  url: endpointReader,
  cacheSeconds: optional(number(60, 86_400)),
  maxEntries: optional(number(1, 1_000_000)),
  maxFetches: optional(number(1, 1000)),
  timeoutSeconds: optional(number(0.01, 600)),
  fetch: optional(fn<typeof globalThis.fetch>()),
  now: optional(fn<() => Date>()),
}) as unknown as Reader<MetadataQueryOptions>;

/** How long "there is no such entity" is cached: a flood of made-up names asks once each. */
const absentSeconds = 60;

/**
 * A directory that asks a metadata query service (draft-young-md-query-saml) for each provider when it is needed. While the
 * service is down, an outdated answer is used until its own validUntil.
 * @example
 * const directory = new MetadataQuery({ url: 'https://mdq.example.org/', signedBy: [federationCertificate] });
 */
export class MetadataQuery implements IdentityProviderDirectory {
  readonly #options: MetadataQueryOptions;
  readonly #answers: AnswerCache;
  readonly #flights = new Map<string, Promise<IdentityProvider | undefined>>();

  constructor(options: MetadataQueryOptions) {
    this.#options = readShape(options, 'options', optionsReader);
    this.#answers = new AnswerCache(this.#options.maxEntries ?? 1000);
  }

  async find(entityId: string): Promise<IdentityProvider | undefined> {
    // Longer than an entity ID can be (saml-core-2.0 8.3.6): nothing is requested and nothing is kept.
    if (entityId.length > 1024) return undefined;
    const known = this.#answers.get(entityId, this.#now().getTime());
    if (known?.fresh === true) return known.provider;
    try {
      return await this.#fly(entityId);
    } catch (error) {
      if (known?.provider === undefined) throw error;
      return known.provider;
    }
  }

  #now(): Date {
    return this.#options.now?.() ?? new Date();
  }

  /** Concurrent callers for one entity share one fetch. */
  async #fly(entityId: string): Promise<IdentityProvider | undefined> {
    const under = this.#flights.get(entityId);
    if (under !== undefined) return await under;
    if (this.#flights.size >= (this.#options.maxFetches ?? 10))
      throw new SamlError('SAML_METADATA_FETCH', 'too many requests to the metadata service at once');
    const flight = this.#ask(entityId).finally(() => this.#flights.delete(entityId));
    this.#flights.set(entityId, flight);
    return await flight;
  }

  async #ask(entityId: string): Promise<IdentityProvider | undefined> {
    // super-linear: the operator's own address.
    const base = this.#options.url.replace(/\/+$/, '');
    const { provider, seconds } = await this.#fetch(`${base}/entities/${encodeURIComponent(entityId)}`, entityId);
    const now = this.#now().getTime();
    this.#answers.put(entityId, provider, now + seconds * 1000, now);
    return provider;
  }

  async #fetch(url: string, entityId: string): Promise<{ provider: IdentityProvider | undefined; seconds: number }> {
    const {
      fetch,
      timeoutSeconds,
      cacheSeconds,
      now: _now,
      url: _url,
      maxEntries: _e,
      maxFetches: _f,
      ...trusted
    } = this.#options;
    try {
      const how = { fetch: fetch ?? globalThis.fetch, timeoutSeconds: timeoutSeconds ?? 10, maxBytes: 1_048_576 };
      const fetched = await fetchMetadata(url, how);
      if (!fetched.changed) throw new SamlError('SAML_METADATA_FETCH', 'the metadata service responded with status 304');
      const read = await readMetadataAside(fetched.bytes, { ...trusted, now: this.#now() });
      // The service may be the federation's, but its answer must still be about the requested entity.
      const provider = read.providers.find(one => one.entityId === entityId);
      if (provider === undefined)
        throw new SamlError('SAML_METADATA_INVALID', 'the metadata service responded with another entity');
      const longest = cacheSeconds ?? 3600;
      return { provider, seconds: Math.max(60, Math.min(longest, read.cacheSeconds ?? longest)) };
    } catch (error) {
      if (error instanceof UnexpectedStatus && error.received === 404) return { provider: undefined, seconds: absentSeconds };
      throw error;
    }
  }
}
