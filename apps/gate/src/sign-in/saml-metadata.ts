import type { SamlProviderConfig } from '../config/config.ts';
import { limits } from '../limits.ts';

const readAgainEveryMs = 60_000;

/** The methods of the package's `MetadataRefresh`. */
interface Directory {
  find(entityId: string): Described | undefined;
  list(): Described[];
  start(): Promise<void>;
  refresh(): Promise<void>;
  stop(): void;
}

interface Described {
  readonly validUntil: Date | undefined;
}

/**
 * What is known of one SAML provider: its metadata, read regularly and for those who need it. The doors of successive configurations
 * share it, so that a new rule does not lose what was read while the source is down.
 */
export class SamlMetadata<D extends Directory> {
  readonly directory: D;
  readonly #settings: string;
  readonly #entityId: string | undefined;
  readonly #now: () => Date;
  /** How many doors that are open read here. */
  #holders = 0;
  #readAgainAt = Number.NEGATIVE_INFINITY;
  #readFirstAt = Number.NEGATIVE_INFINITY;
  #readingFirst: Promise<void> | undefined;
  #readingAgain: Promise<void> | undefined;

  constructor(directory: D, config: SamlProviderConfig, now: () => Date) {
    this.directory = directory;
    this.#settings = settingsOf(config);
    this.#entityId = config.entityId;
    this.#now = now;
  }

  /** @returns itself, unless the settings are others: what was read under the old ones may not be trusted now */
  for(config: SamlProviderConfig): this | undefined {
    return settingsOf(config) === this.#settings ? this : undefined;
  }

  /** The first door waits until the metadata has been read, or could not be. The next one has what was read. */
  async open(): Promise<void> {
    this.#holders += 1;
    if (this.#holders === 1) await this.directory.start();
    else void this.directory.refresh();
  }

  close(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.directory.stop();
  }

  /** For an operator who asks. A reading that is under way may have begun before its source was repaired, so another one follows it. */
  async refresh(): Promise<void> {
    await this.directory.refresh();
    await this.directory.refresh();
  }

  /**
   * Without metadata, or with metadata that expired, nobody can come in. The source may be back since the last try, or have new metadata.
   * @returns whether anything was ever read; the package refuses what has expired
   */
  async isRead(): Promise<boolean> {
    const now = this.#now().getTime();
    if (this.#isUseless() && !isBetween(now, this.#readFirstAt, limits.readMetadataAgainMs)) {
      this.#readFirstAt = now;
      this.#readingFirst = this.directory.refresh();
    }
    await this.#readingFirst;
    return this.directory.find(this.#entityId ?? '') !== undefined || this.directory.list().length > 0;
  }

  /** The provider may have changed its key, so its metadata is read again, at most once a minute, before its message is refused. */
  async withFresh<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      const now = this.#now().getTime();
      if ((error as { code?: unknown } | undefined)?.code !== 'SAML_SIGNATURE_INVALID') throw error;
      if (!isBetween(now, this.#readAgainAt, readAgainEveryMs)) {
        this.#readAgainAt = now;
        this.#readingAgain = this.directory.refresh().finally(() => {
          this.#readingAgain = undefined;
        });
      }
      // Others who come meanwhile wait for the same answer.
      if (this.#readingAgain === undefined) throw error;
      await this.#readingAgain;
      return read();
    }
  }

  #isUseless(): boolean {
    const isOver = ({ validUntil }: Described) => validUntil !== undefined && validUntil <= this.#now();
    const one = this.directory.find(this.#entityId ?? '');
    if (one !== undefined) return isOver(one);
    // A federation has thousands: listing them all takes longer than finding one.
    const all = this.directory.list();
    return all.length === 0 || (this.#entityId === undefined && all.every(isOver));
  }
}

/** False when the clock was set back: nobody waits for as long as it was wrong. */
const isBetween = (now: number, since: number, forMs: number): boolean => now >= since && now < since + forMs;

const settingsOf = ({ metadata, policy, entityId }: SamlProviderConfig): string => JSON.stringify([metadata, policy, entityId]);
