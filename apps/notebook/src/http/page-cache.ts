import { type Compressed, compress } from './compressed.ts';

/** What a key's maker answers: the page, or the page for a while only; `until` settles when there is a better one. */
export type Drawn =
  | string
  | { readonly html: string; readonly keepMillis: number; readonly until?: Promise<unknown> | undefined };

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
  readonly #requireRoom: () => void;
  #bytes = 0;

  /** @param requireRoom throws when the process has too much to do to make a page; what lies ready is answered all the same */
  constructor(maxBytes: number, requireRoom: () => void = () => {}) {
    this.#maxBytes = maxBytes;
    this.#requireRoom = requireRoom;
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
    this.#requireRoom();
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
    if (typeof drawn === 'string') {
      const made = await compress(Buffer.from(drawn));
      this.#keep(key, made, Number.POSITIVE_INFINITY);
      return made;
    }
    let over = false;
    let entry: Entry | undefined;
    void drawn.until?.finally(() => {
      over = true;
      if (entry && this.#entries.get(key) === entry) this.#drop(key, entry);
    });
    const made = await compress(Buffer.from(drawn.html));
    if (!over && drawn.keepMillis > 0) entry = this.#keep(key, made, performance.now() + drawn.keepMillis);
    return made;
  }

  #drop(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }

  #keep(key: string, made: Compressed, keepUntil: number): Entry | undefined {
    const bytes = made.plain.length + made.br.length + made.gzip.length;
    // One page may not push everything else out.
    if (bytes > this.#maxBytes / 8) return undefined;
    const kept = { ...made, bytes, keepUntil };
    this.#entries.set(key, kept);
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest, entry);
    }
    return kept;
  }
}
