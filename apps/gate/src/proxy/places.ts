/** A request or WebSocket at the application. */
export interface Place {
  /** The person, or the network address of an unknown client. */
  readonly visitor: string;
  readonly end: () => void;
}

/**
 * What an application serves at once, if the operator says how much that is. When all places are taken, the visitor with most of them loses
 * the oldest to one who has fewer. A limit that refuses the newest would let one visitor keep all others out.
 */
export class Places {
  /** In the order in which they were taken. */
  readonly #taken = new Set<Place>();
  readonly #byVisitor = new Map<string, number>();

  /** @returns undefined if all are taken, and nobody has so many that one more for this visitor would be fairer */
  take(visitor: string, max: number, end: () => void): Place | undefined {
    if (this.#taken.size >= max) {
      const greediest = this.#greediest();
      // With only one more, the two would take the place from each other in turn.
      if (greediest === undefined || this.#of(greediest.visitor) <= this.#of(visitor) + 1) return undefined;
      this.leave(greediest);
      greediest.end();
    }
    const place = { visitor, end };
    this.#taken.add(place);
    this.#byVisitor.set(visitor, this.#of(visitor) + 1);
    return place;
  }

  /** Does nothing the second time. */
  leave(place: Place): void {
    if (!this.#taken.delete(place)) return;
    const left = this.#of(place.visitor) - 1;
    if (left === 0) this.#byVisitor.delete(place.visitor);
    else this.#byVisitor.set(place.visitor, left);
  }

  #of(visitor: string): number {
    return this.#byVisitor.get(visitor) ?? 0;
  }

  /** The oldest place of the visitor with most of them. */
  #greediest(): Place | undefined {
    let most: Place | undefined;
    for (const place of this.#taken) if (most === undefined || this.#of(place.visitor) > this.#of(most.visitor)) most = place;
    return most;
  }
}
