interface Entry<Key, Value> {
  readonly key: Key;
  value: Value;
  older: Entry<Key, Value> | undefined;
  newer: Entry<Key, Value> | undefined;
}

/**
 * A map that knows its least recently used entry. A plain `Map` keeps its entries in order too, but V8 leaves a hole for each deleted one
 * until the map grows, and finding the first entry of a full cache skips thousands of holes.
 */
export class RecentlyUsed<Key, Value> {
  readonly #entries = new Map<Key, Entry<Key, Value>>();
  #oldest: Entry<Key, Value> | undefined;
  #newest: Entry<Key, Value> | undefined;

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the value and marks it as used. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry !== this.#newest) {
      this.#unlink(entry);
      this.#append(entry);
    }
    return entry.value;
  }

  /** Returns the value without marking it as used. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Sets the value and marks it as used. */
  set(key: Key, value: Value): void {
    const before = this.#entries.get(key);
    if (before) {
      before.value = value;
      this.get(key);
      return;
    }
    const entry = { key, value, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#unlink(entry);
  }

  oldest(): { readonly key: Key; readonly value: Value } | undefined {
    return this.#oldest;
  }

  #append(entry: Entry<Key, Value>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
  }

  #unlink(entry: Entry<Key, Value>): void {
    const { older, newer } = entry;
    // A removed entry must not keep its neighbors in memory.
    entry.older = undefined;
    entry.newer = undefined;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
  }
}
