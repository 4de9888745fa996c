import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SamlError } from '../errors.ts';
import { endpointReader } from '../values/safe-endpoint.ts';
import { fn, listOf, number, optional, type Reader, readShape, shape, text } from '../values/shape.ts';
import type { IdentityProvider, IdentityProviderDirectory } from './identity-provider.ts';
import { type IdpMetadataOptions, type ReadMetadata, sourceOptions } from './idp-metadata.ts';
import { defaultLargeMaxBytes, readMetadataAside } from './large-metadata.ts';
import { fetchMetadata } from './metadata-fetch.ts';

/** Where metadata comes from, and how it is trusted. A key in `signedBy` is bound to this one source. */
export type MetadataSource = ({ url: string } | { file: string } | { folder: string }) & Omit<IdpMetadataOptions, 'now'>;

/** How metadata is kept fresh. */
export interface MetadataRefreshOptions {
  /** Each source is a URL, a file, or a folder of `*.xml` files. When two describe the same entity, the first in this list counts. */
  sources: readonly MetadataSource[];
  /** Seconds between refreshes; default 3600. A source that asks for less (cacheDuration) is read more often, at most once a minute. */
  everySeconds?: number;
  /** How long one fetch may take, in seconds; default 30. */
  timeoutSeconds?: number;
  /** A folder for the last good copy from each URL, for a start while its source is down. Each copy is verified again when it is read. */
  cacheFolder?: string;
  /** Called for every source that could not be refreshed; what was read before stays in use until its own validUntil. */
  onError?: (error: unknown, source: MetadataSource) => void;
  fetch?: typeof globalThis.fetch;
  now?: () => Date;
}

const sourceReader: Reader<MetadataSource> = (value, path) => {
  const kinds = { url: endpointReader, file: text(), folder: text() } as const;
  const kind = (['url', 'file', 'folder'] as const).find(name => typeof value === 'object' && value !== null && name in value);
  return shape({ [kind ?? 'url']: kinds[kind ?? 'url'], ...sourceOptions })(value, path) as unknown as MetadataSource;
};

const optionsReader = shape({
  sources: listOf(sourceReader, 'metadata sources', 1000),
  everySeconds: optional(number(10, 604_800)),
  timeoutSeconds: optional(number(0.01, 600)),
  cacheFolder: optional(text()),
  onError: optional(fn<(error: unknown, source: MetadataSource) => void>()),
  fetch: optional(fn<typeof globalThis.fetch>()),
  now: optional(fn<() => Date>()),
}) as unknown as Reader<MetadataRefreshOptions>;

const leastSeconds = 60;

/** The state of one source. */
interface Known {
  providers: ReadonlyMap<string, IdentityProvider>;
  cacheSeconds: number | undefined;
  etag: string | undefined;
}

/**
 * A directory of identity providers that keeps itself fresh. A source that fails or turns bad keeps its last good state: an
 * attacker who can break a fetch gains nothing, and one who can only replay old metadata is stopped by validUntil.
 * @example
 * const directory = new MetadataRefresh({ sources: [{ url: 'https://idp.example.edu/metadata' }] });
 * await directory.start();
 */
export class MetadataRefresh implements IdentityProviderDirectory {
  readonly #options: MetadataRefreshOptions;
  readonly #known = new Map<MetadataSource, Known>();
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  #underWay: Promise<void> | undefined;

  constructor(options: MetadataRefreshOptions) {
    this.#options = readShape(options, 'options', optionsReader);
  }

  /** The provider of that name, from the first source that describes it. A provider that its source dropped is gone. */
  find(entityId: string): IdentityProvider | undefined {
    for (const source of this.#options.sources) {
      const found = this.#known.get(source)?.providers.get(entityId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Every provider known now, each once: for a page that lets people choose. */
  list(): IdentityProvider[] {
    const all = new Map<string, IdentityProvider>();
    for (const source of this.#options.sources.toReversed())
      for (const [entityId, provider] of this.#known.get(source)?.providers ?? []) all.set(entityId, provider);
    return [...all.values()];
  }

  /** Reads every source once; concurrent callers share one run. Faults go to `onError`. */
  async refresh(): Promise<void> {
    this.#underWay ??= this.#refreshAll().finally(() => {
      this.#underWay = undefined;
    });
    await this.#underWay;
  }

  /** Refreshes now and then regularly; the timer does not keep the process alive. */
  async start(): Promise<void> {
    this.#running = true;
    await this.refresh();
    this.#schedule();
  }

  /** Stops the schedule. */
  stop(): void {
    this.#running = false;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (!this.#running) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh().finally(() => this.#schedule()), this.nextRefreshSeconds * 1000);
    this.#timer.unref();
  }

  /** Seconds until the next refresh: `everySeconds`, or less when a source asks for it. */
  get nextRefreshSeconds(): number {
    const every = this.#options.everySeconds ?? 3600;
    const asked = [...this.#known.values()].map(known => Math.max(leastSeconds, known.cacheSeconds ?? every));
    return Math.min(every, ...asked);
  }

  async #refreshAll(): Promise<void> {
    await Promise.all(
      this.#options.sources.map(async source => {
        try {
          await this.#read(source);
        } catch (error) {
          void this.#tell(error, source);
        }
      }),
    );
  }

  /** A failing log must not stop the schedule, or end the process from a timer. */
  async #tell(error: unknown, source: MetadataSource): Promise<void> {
    try {
      await this.#options.onError?.(error, source);
    } catch {
      // There is nobody else to tell.
    }
  }

  async #read(source: MetadataSource): Promise<void> {
    if ('file' in source) this.#keep(source, await this.#verify(await readFile(source.file), source));
    else if ('folder' in source) this.#keep(source, await this.#readFolder(source));
    else await this.#readUrl(source);
  }

  #verify(bytes: Uint8Array, source: MetadataSource): Promise<ReadMetadata> {
    const options = Object.fromEntries(Object.entries(source).filter(([name]) => name in sourceOptions));
    return readMetadataAside(bytes, { ...(options as IdpMetadataOptions), now: this.#options.now?.() ?? new Date() });
  }

  #keep(source: MetadataSource, read: ReadMetadata, etag?: string): void {
    const providers = new Map(read.providers.map(provider => [provider.entityId, provider]));
    this.#known.set(source, { providers, cacheSeconds: read.cacheSeconds, etag });
  }

  /** A bad file in a folder does not affect the others. */
  async #readFolder(source: MetadataSource & { folder: string }): Promise<ReadMetadata> {
    const names = (await readdir(source.folder)).filter(name => name.endsWith('.xml')).sort();
    const found = new Map<string, IdentityProvider>();
    for (const name of names) {
      try {
        const { providers } = await this.#verify(await readFile(join(source.folder, name)), source);
        for (const provider of providers) if (!found.has(provider.entityId)) found.set(provider.entityId, provider);
      } catch (error) {
        void this.#tell(error, source);
      }
    }
    return { providers: [...found.values()], cacheSeconds: undefined };
  }

  async #readUrl(source: MetadataSource & { url: string }): Promise<void> {
    try {
      const fetched = await fetchMetadata(source.url, {
        fetch: this.#options.fetch ?? globalThis.fetch,
        timeoutSeconds: this.#options.timeoutSeconds ?? 30,
        maxBytes: source.maxBytes ?? defaultLargeMaxBytes,
        etag: this.#known.get(source)?.etag,
      });
      if (!fetched.changed) return;
      this.#keep(source, await this.#verify(fetched.bytes, source), fetched.etag);
      await this.#saveCopy(source.url, fetched.bytes);
    } catch (error) {
      if (!this.#known.has(source)) await this.#readCopy(source);
      throw error;
    }
  }

  #copyOf(url: string): string | undefined {
    const { cacheFolder } = this.#options;
    return cacheFolder === undefined ? undefined : join(cacheFolder, `${createHash('sha256').update(url).digest('hex')}.xml`);
  }

  /** Written to a second file and renamed, so that a crash leaves either the old copy or the new one. */
  async #saveCopy(url: string, bytes: Uint8Array): Promise<void> {
    const file = this.#copyOf(url);
    if (file === undefined) return;
    const temporary = `${file}.${process.pid}.tmp`;
    await mkdir(this.#options.cacheFolder ?? '', { recursive: true });
    await writeFile(temporary, bytes, { mode: 0o600 });
    await rename(temporary, file);
  }

  /** The copy is as untrusted as a fetched document: signature and dates are checked again. */
  async #readCopy(source: MetadataSource & { url: string }): Promise<void> {
    const file = this.#copyOf(source.url);
    if (file === undefined) return;
    try {
      this.#keep(source, await this.#verify(await readFile(file), source));
    } catch (error) {
      if (error instanceof SamlError) void this.#tell(error, source);
    }
  }
}
