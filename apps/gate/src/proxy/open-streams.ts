/** A socket, or an answer that is being written. */
interface Stream {
  destroy(): unknown;
}

/** Sockets and answers that go on for long, by session: they end when the session does. */
export class OpenStreams {
  readonly #bySession = new Map<string, Set<Stream>>();
  #count = 0;

  add(session: string, stream: Stream): void {
    let streams = this.#bySession.get(session);
    if (streams === undefined) {
      streams = new Set();
      this.#bySession.set(session, streams);
    }
    streams.add(stream);
    this.#count += 1;
  }

  /** Whoever adds a stream takes it out when it has closed. */
  remove(session: string, stream: Stream): void {
    const streams = this.#bySession.get(session);
    if (streams?.delete(stream) !== true) return;
    this.#count -= 1;
    if (streams.size === 0) this.#bySession.delete(session);
  }

  get count(): number {
    return this.#count;
  }

  get sessions(): string[] {
    return [...this.#bySession.keys()];
  }

  end(session: string): void {
    for (const stream of this.#bySession.get(session) ?? []) stream.destroy();
  }

  endAll(): void {
    for (const session of this.sessions) this.end(session);
  }
}
