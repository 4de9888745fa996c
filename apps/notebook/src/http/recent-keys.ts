/** Remembers recent keys: at least the last `least` different ones, at most twice as many. */
export class RecentKeys {
  readonly #least: number;
  #now = new Set<string>();
  #before = new Set<string>();

  constructor(least: number) {
    this.#least = least;
  }

  /** Records the key. @returns true when it was recorded recently */
  record(key: string): boolean {
    if (this.#now.has(key)) return true;
    const known = this.#before.has(key);
    this.#now.add(key);
    if (this.#now.size >= this.#least) {
      this.#before = this.#now;
      this.#now = new Set();
    }
    return known;
  }
}
