/** A socket, or an answer that is being written. */
interface Stream {
  destroy(): unknown;
}

/** Who it is for, by whose word. */
export interface Vouched {
  readonly identity: { readonly provider: string; readonly issuer: string };
}

/** One of them, for whoever takes it out again. */
export interface OpenStream {
  readonly session: Vouched & { readonly id: string };
  readonly stream: Stream;
  readonly place: number;
}

/**
 * Sockets and answers that go on, with the session that they belong to: they end when the session does. Places of an array, and no Map: V8 lays the table of
 * an old Map anew in old space each time it has been filled, and what a dropped table names outlives every young collection. With an entry for each
 * request a tenth of all memory was kept so, and pauses took a hundredth of the requests by 7 ms.
 */
export class OpenStreams {
  readonly #open: (OpenStream | undefined)[] = [];
  readonly #free: number[] = [];

  /** Whoever adds a stream takes it out when it has closed. */
  add(session: OpenStream['session'], stream: Stream): OpenStream {
    const one = { session, stream, place: this.#free.pop() ?? this.#open.length };
    this.#open[one.place] = one;
    return one;
  }

  /** A second time it does nothing: the place may be another's by then. */
  remove(one: OpenStream): void {
    if (this.#open[one.place] !== one) return;
    this.#open[one.place] = undefined;
    this.#free.push(one.place);
  }

  get count(): number {
    return this.#open.length - this.#free.length;
  }

  get sessions(): string[] {
    return [...new Set(this.#open.flatMap(one => one?.session.id ?? []))];
  }

  /** Cuts the streams of these sessions, all in one look: a look goes over every stream. */
  end(isOver: (session: OpenStream['session']) => boolean): void {
    for (const one of this.#open) if (one !== undefined && isOver(one.session)) one.stream.destroy();
  }
}
