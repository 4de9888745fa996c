/** A waiting entry. It is read whenever a place is free, because its urgency may change while it waits. */
export interface Turn {
  /** Who pays for it, such as an address and a notebook. Of all waiting turns, the one whose most used payer has used least goes first. */
  readonly payers: readonly string[];
  /** A newer turn with the same name replaces it. Absent: nothing does. */
  readonly name?: string;
  /** Nobody waits for it: it goes after all others. */
  readonly background: boolean;
  /** The memory that it holds while it waits. */
  readonly bytes: number;
}

export interface TurnQueueLimits {
  readonly maxTurns: number;
  readonly maxBytes: number;
  /** The half-life of recorded use. Default: a minute. */
  readonly halfLifeMillis?: number;
  /** The clock, in milliseconds. */
  readonly now?: () => number;
}

/** Use below this counts as none. */
const forgottenBelow = 1;
const maxAccounts = 10_000;

/**
 * A bounded queue for a scarce resource. The payer that has used least lately goes first, so that a client that sends much waits behind one
 * that sends little, whatever their order of arrival. Use is counted in milliseconds of work and fades.
 */
export class TurnQueue<T extends Turn> {
  readonly #limits: TurnQueueLimits;
  readonly #now: () => number;
  #waiting: T[] = [];
  #bytes = 0;
  readonly #accounts = new Map<string, { used: number; at: number }>();

  constructor(limits: TurnQueueLimits) {
    this.#limits = limits;
    this.#now = limits.now ?? (() => performance.now());
  }

  get length(): number {
    return this.#waiting.length;
  }

  /**
   * Adds a turn. @returns the turns that must leave for it: an older one with its name and, past the limits, one of the payer with most in
   * the queue, perhaps itself
   */
  add(turn: T): T[] {
    const left = this.#waiting.filter(other => turn.name !== undefined && other.name === turn.name);
    for (const older of left) this.#remove(older);
    this.#waiting.push(turn);
    this.#bytes += turn.bytes;
    while (this.#waiting.length > this.#limits.maxTurns || this.#bytes > this.#limits.maxBytes) {
      const greediest = this.#greediest();
      this.#remove(greediest);
      left.push(greediest);
    }
    return left;
  }

  /** The next turn among those that `fits` accepts. */
  take(fits: (turn: T) => boolean = () => true): T | undefined {
    let next: T | undefined;
    let nextUsed = 0;
    for (const turn of this.#waiting) {
      if (!fits(turn)) continue;
      const used = this.usedBy(turn);
      if (next === undefined || before(turn, used, next, nextUsed)) [next, nextUsed] = [turn, used];
    }
    if (next) this.#remove(next);
    return next;
  }

  /** The recent use of the turn's most used payer, in milliseconds. */
  usedBy({ payers }: Turn): number {
    return Math.max(0, ...payers.map(payer => this.#usedNow(payer)));
  }

  /** Adds to each payer's use; a negative number corrects an estimate that was too high. */
  charge({ payers }: Turn, millis: number): void {
    for (const payer of payers) this.#accounts.set(payer, { used: this.#usedNow(payer) + millis, at: this.#now() });
    if (this.#accounts.size > maxAccounts) this.#dropLeastUsed();
  }

  /** Empties the queue. @returns the turns that were in it */
  clear(): T[] {
    const all = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    return all;
  }

  #usedNow(payer: string): number {
    const account = this.#accounts.get(payer);
    if (!account) return 0;
    const used = account.used * 0.5 ** ((this.#now() - account.at) / (this.#limits.halfLifeMillis ?? 60_000));
    return Math.abs(used) < forgottenBelow ? 0 : used;
  }

  #dropLeastUsed(): void {
    const byUse = [...this.#accounts.keys()].map(payer => [payer, this.#usedNow(payer)] as const).sort(([, a], [, b]) => a - b);
    for (const [payer] of byUse.slice(0, maxAccounts / 2)) this.#accounts.delete(payer);
  }

  /** Picks background work first, then the payer with the most turns in the queue; among those, the newest turn. */
  #greediest(): T {
    const counts = new Map<string, number>();
    for (const { payers } of this.#waiting) for (const payer of payers) counts.set(payer, (counts.get(payer) ?? 0) + 1);
    // Under attack, the queue is full at each arrival and all of it is scanned, so this allocates no array and compares each turn only
    // once.
    let worst = this.#waiting[0]!;
    let most = Number.NEGATIVE_INFINITY;
    for (const turn of this.#waiting) {
      let greed = Number.NEGATIVE_INFINITY;
      for (const payer of turn.payers) greed = Math.max(greed, counts.get(payer) ?? 0);
      if (turn.background) greed += 1_000_000;
      if (greed >= most) [worst, most] = [turn, greed];
    }
    return worst;
  }

  #remove(turn: T): void {
    const at = this.#waiting.indexOf(turn);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    this.#bytes -= turn.bytes;
  }
}

function before(turn: Turn, used: number, other: Turn, otherUsed: number): boolean {
  if (turn.background !== other.background) return !turn.background;
  return used < otherUsed;
}
