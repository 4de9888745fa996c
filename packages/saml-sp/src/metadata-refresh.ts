import { readFile } from 'node:fs/promises';
import { SamlError } from './errors.ts';
import type { IdentityProvider, IdentityProviderDirectory } from './identity-provider.ts';
import { type IdpMetadataOptions, readIdpMetadata } from './idp-metadata.ts';
import { isSafeEndpoint } from './safe-endpoint.ts';

/** Where metadata comes from, and how it is believed. A key in `signedBy` is bound to this one source. */
export type MetadataSource = ({ url: string } | { file: string }) & Omit<IdpMetadataOptions, 'now'>;

export interface MetadataRefreshOptions {
  sources: readonly MetadataSource[];
  /** Seconds between refreshes: 3600 unless said. */
  everySeconds?: number;
  /** How long one fetch may take, in seconds: 10 unless said. */
  timeoutSeconds?: number;
  /** Told of every source that could not be refreshed; what was read before stays in use until its own validUntil. */
  onError?: (error: unknown, source: MetadataSource) => void;
  fetch?: typeof globalThis.fetch;
  now?: () => Date;
}

const maxRedirects = 3;
const defaultMaxBytes = 1_048_576;

/** Reads a body up to a cap, whatever Content-Length says. */
async function readBody(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new SamlError('SAML_MESSAGE_TOO_LARGE', `the metadata is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * A directory of identity providers that keeps itself fresh. A source that fails or turns bad keeps its last good state:
 * an attacker who can break a fetch gains nothing, and one who can only replay old metadata is stopped by validUntil.
 */
export class MetadataRefresh implements IdentityProviderDirectory {
  readonly #options: MetadataRefreshOptions;
  readonly #found = new Map<MetadataSource, readonly IdentityProvider[]>();
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | undefined;

  constructor(options: MetadataRefreshOptions) {
    this.#options = options;
    for (const source of options.sources) {
      if ('url' in source && !isSafeEndpoint(source.url))
        throw new SamlError('SAML_CONFIG_INVALID', 'metadata must come from an https address');
    }
  }

  /** The provider of that name from the first source that describes it. A provider that its source dropped is gone. */
  find(entityId: string): IdentityProvider | undefined {
    for (const providers of this.#found.values()) {
      const found = providers.find(provider => provider.entityId === entityId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Every provider that is known now. */
  list(): IdentityProvider[] {
    return [...this.#found.values()].flat();
  }

  /** Reads every source once, all callers at a time sharing one run. Faults go to `onError`. */
  async refresh(): Promise<void> {
    this.#underWay ??= this.#refreshAll().finally(() => {
      this.#underWay = undefined;
    });
    await this.#underWay;
  }

  /** Refreshes now and then again and again; the timer keeps no process alive. */
  async start(): Promise<void> {
    await this.refresh();
    this.#timer ??= setInterval(() => void this.refresh(), (this.#options.everySeconds ?? 3600) * 1000).unref();
  }

  /** Ends the schedule. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #refreshAll(): Promise<void> {
    await Promise.all(
      this.#options.sources.map(async source => {
        try {
          const bytes = 'url' in source ? await this.#fetch(source) : await readFile(source.file);
          this.#found.set(source, readIdpMetadata(bytes, { ...source, now: this.#options.now?.() ?? new Date() }));
        } catch (error) {
          this.#options.onError?.(error, source);
        }
      }),
    );
  }

  /** Follows 301, 302, 307 and 308 to safe addresses only (IIP-MD04). */
  async #fetch(source: MetadataSource & { url: string }): Promise<Uint8Array> {
    const signal = AbortSignal.timeout((this.#options.timeoutSeconds ?? 10) * 1000);
    const request = this.#options.fetch ?? globalThis.fetch;
    let { url } = source;
    for (let hops = 0; hops <= maxRedirects; hops += 1) {
      const response = await request(url, {
        redirect: 'manual',
        signal,
        headers: { accept: 'application/samlmetadata+xml, application/xml' },
      });
      if (response.status === 200) return await readBody(response, source.maxBytes ?? defaultMaxBytes);
      await response.body?.cancel();
      const location = response.headers.get('location');
      if (![301, 302, 307, 308].includes(response.status) || location === null) {
        throw new SamlError('SAML_METADATA_FETCH', `the metadata source answered ${response.status}`);
      }
      url = new URL(location, url).href;
      if (!isSafeEndpoint(url)) throw new SamlError('SAML_METADATA_FETCH', 'the metadata source redirects to an unsafe address');
    }
    throw new SamlError('SAML_METADATA_FETCH', 'the metadata source redirects too often');
  }
}
