import type { HtmlDocument } from '../../views/props.ts';
import { FinishedPage } from './compressed.ts';
import { RecentlyUsed } from './recently-used.ts';

/** A page that is kept, or kept only for a while; `until` settles when there is a better one. */
export interface MadePage extends Pick<HtmlDocument, 'frames'> {
  /** Bytes when it was assembled in portions. */
  readonly html: string | Buffer;
  readonly keepMillis?: number;
  readonly until?: Promise<unknown> | undefined;
}

/** The result of a key's maker; a plain string is not an HTML page. */
export type Drawn = string | FinishedPage | MadePage;

interface Entry {
  readonly page: FinishedPage;
  bytes: number;
  /** On the clock of `performance.now()`. */
  readonly keepUntil: number;
}

/**
 * Finished pages in the codings that were requested, bounded by bytes; the least recently used go first. A key names everything that the
 * bytes depend on (notebook version included), so an entry is never stale, only unused.
 */
export class PageCache {
  readonly #entries = new RecentlyUsed<string, Entry>();
  readonly #underWay = new Map<string, Promise<FinishedPage | undefined>>();
  readonly #maxBytes: number;
  readonly #maxPageBytes: number;
  readonly #requireCapacity: () => void;
  #bytes = 0;

  /**
   * @param requireCapacity throws when the process is too busy to make a page; cached pages are answered all the same
   * @param maxPageBytes limit for one page, so that it cannot push everything else out
   */
  constructor(maxBytes: number, requireCapacity: () => void = () => {}, maxPageBytes = maxBytes / 8) {
    this.#maxBytes = maxBytes;
    this.#maxPageBytes = maxPageBytes;
    this.#requireCapacity = requireCapacity;
  }

  find(key: string): FinishedPage | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry.keepUntil !== Number.POSITIVE_INFINITY && performance.now() >= entry.keepUntil) {
      this.#drop(key, entry);
      return undefined;
    }
    return entry.page;
  }

  /** The page under this key, made only once for concurrent callers. `make` returns undefined for "no such page". */
  async get(key: string, make: () => Promise<Drawn | undefined>): Promise<FinishedPage | undefined> {
    const found = this.find(key);
    if (found) return found;
    const already = this.#underWay.get(key);
    if (already) return already;
    this.#requireCapacity();
    const work = this.#make(key, make);
    this.#underWay.set(key, work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(key);
    }
  }

  /** Keeps a page that was made elsewhere. */
  put(key: string, page: FinishedPage): void {
    this.#keep(key, page, Number.POSITIVE_INFINITY);
  }

  async #make(key: string, make: () => Promise<Drawn | undefined>): Promise<FinishedPage | undefined> {
    const drawn = await make();
    if (drawn === undefined) return undefined;
    if (typeof drawn === 'string' || drawn instanceof FinishedPage) {
      const page = typeof drawn === 'string' ? await FinishedPage.inChunks(drawn) : drawn;
      this.#keep(key, page, Number.POSITIVE_INFINITY);
      return page;
    }
    const { html, frames, keepMillis = Number.POSITIVE_INFINITY } = drawn;
    const page = await FinishedPage.inChunks(html, frames);
    if (keepMillis <= 0) return page;
    const entry = this.#keep(key, page, performance.now() + keepMillis);
    void drawn.until?.finally(() => {
      if (entry && this.#entries.peek(key) === entry) this.#drop(key, entry);
    });
    return page;
  }

  #drop(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }

  #keep(key: string, page: FinishedPage, keepUntil: number): Entry | undefined {
    const before = this.#entries.peek(key);
    if (before) this.#drop(key, before);
    if (page.bytes > this.#maxPageBytes) return undefined;
    const entry = { page, bytes: page.bytes, keepUntil };
    page.onGrow = () => this.#recount(key, entry);
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    this.#makeRoom();
    return entry;
  }

  /** Updates an entry's size after another coding was made, or after the uncompressed bytes were dropped. */
  #recount(key: string, entry: Entry): void {
    if (this.#entries.peek(key) !== entry) return;
    this.#bytes += entry.page.bytes - entry.bytes;
    entry.bytes = entry.page.bytes;
    if (entry.bytes > this.#maxPageBytes) this.#drop(key, entry);
    else this.#makeRoom();
  }

  #makeRoom(): void {
    for (let oldest = this.#entries.oldest(); oldest && this.#bytes > this.#maxBytes; oldest = this.#entries.oldest())
      this.#drop(oldest.key, oldest.value);
  }
}
