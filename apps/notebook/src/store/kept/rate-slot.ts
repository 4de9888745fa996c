/** One call that a rate limit counts. */
export interface RateSlot {
  /** The limit's name. */
  readonly name: string;
  /** The subject of the limit: an address, or an address and a notebook. */
  readonly key: string;
  readonly max: number;
  readonly windowSeconds: number;
}
