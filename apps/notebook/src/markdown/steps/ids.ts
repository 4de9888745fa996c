/** Assigns ids, each only once. */
export interface IdClaims {
  readonly prefix: string;
  /** @returns false if another element has the id */
  claim(id: string): boolean;
  /** Returns the next free id of `notes`, `notes-1`, `notes-2` …, with the prefix. */
  claimNext(wanted: string): string;
}

/** The ids of one document. */
export class Ids implements IdClaims {
  readonly prefix: string;
  readonly #taken = new Set<string>();
  readonly #nextNumber = new Map<string, number>();

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  has(id: string): boolean {
    return this.#taken.has(id);
  }

  claim(id: string): boolean {
    if (this.#taken.has(id)) return false;
    this.#taken.add(id);
    return true;
  }

  claimNext(wanted: string): string {
    const first = this.prefix + wanted;
    if (this.claim(first)) return first;
    // Remembered, because otherwise a thousand equal headings would each count from one.
    for (let number = this.#nextNumber.get(first) ?? 1; ; number += 1) {
      const id = `${first}-${number}`;
      if (!this.claim(id)) continue;
      this.#nextNumber.set(first, number + 1);
      return id;
    }
  }
}
