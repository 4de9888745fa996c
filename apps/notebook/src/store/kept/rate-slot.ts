/** One call that a rate limit counts. */
export interface RateSlot {
  /** The limit's name. */
  readonly name: string;
  /** Whom it counts: an address, or address and notebook. */
  readonly key: string;
  readonly max: number;
  readonly windowSeconds: number;
}
