import { type Compressed, compress } from './compressed.ts';

/** What a key's maker answers: the page, or the page for a while only. */
export type Drawn = string | { readonly html: string; readonly keepMillis: number };

interface Entry extends Compressed {
  readonly bytes: number;
  /** By the clock of `performance.now()`. */
  readonly keepUntil: number;
}

/**
 * Finished pages, compressed once, bounded by bytes; the least recently used go first. A key names everything that the bytes
 * depend on (notebook version included), so nothing in here is ever stale, only unused.
 */
export class PageCache {
  readonly #entries = new Map<string, Entry>();
  readonly #underWay = new Map<string, Promise<Compressed | undefined>>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  find(key: string): Compressed | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    if (performance.now() >= entry.keepUntil) {
      this.#bytes -= entry.bytes;
      return undefined;
    }
    this.#entries.set(key, entry);
    return entry;
  }

  /** The page under this key; made at most once however many ask at the same time. `make` answers undefined for "no such page". */
  async get(key: string, make: () => Promise<Drawn | undefined>): Promise<Compressed | undefined> {
    const found = this.find(key);
    if (found) return found;
    const already = this.#underWay.get(key);
    if (already) return already;
    const work = this.#make(key, make);
    this.#underWay.set(key, work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(key);
    }
  }

  async #make(key: string, make: () => Promise<Drawn | undefined>): Promise<Compressed | undefined> {
    const drawn = await make();
    if (drawn === undefined) return undefined;
    const { html, keepMillis } = typeof drawn === 'string' ? { html: drawn, keepMillis: Number.POSITIVE_INFINITY } : drawn;
    const made = await compress(Buffer.from(html));
    this.#keep(key, made, performance.now() + keepMillis);
    return made;
  }

  #keep(key: string, made: Compressed, keepUntil: number): void {
    const bytes = made.plain.length + made.br.length + made.gzip.length;
    // One page may not push everything else out.
    if (bytes > this.#maxBytes / 8) return;
    this.#entries.set(key, { ...made, bytes, keepUntil });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }
}
