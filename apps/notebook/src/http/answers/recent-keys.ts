/**
 * Remembers recent keys in as many slots as it is given. Of two keys that share a slot, only the later one is remembered: that costs a
 * reader a miss now and then, and spares a set that grows and is thrown away again.
 */
export class RecentKeys {
  readonly #slots: (string | undefined)[];

  /** @param slots a power of two */
  constructor(slots: number) {
    this.#slots = new Array<string | undefined>(slots).fill(undefined);
  }

  /** Records the key. @returns true when it was recorded recently */
  record(key: string): boolean {
    const slot = hashOf(key) & (this.#slots.length - 1);
    if (this.#slots[slot] === key) return true;
    this.#slots[slot] = key;
    return false;
  }
}

/** FNV-1a, 32 bits. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
}
