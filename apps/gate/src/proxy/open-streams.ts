/** A socket, or an answer that is being written. */
interface Stream {
  destroy(): unknown;
}

/** Sockets and answers that go on, with the session that they belong to: they end when the session does. */
export class OpenStreams {
  readonly #sessions = new Map<Stream, string>();

  add(session: string, stream: Stream): void {
    this.#sessions.set(stream, session);
  }

  /** Whoever adds a stream takes it out when it has closed. */
  remove(stream: Stream): void {
    this.#sessions.delete(stream);
  }

  get count(): number {
    return this.#sessions.size;
  }

  get sessions(): string[] {
    return [...new Set(this.#sessions.values())];
  }

  /** Cuts the streams of these sessions, all in one look: a look goes over every stream. */
  end(isOver: (session: string) => boolean): void {
    for (const [stream, session] of this.#sessions) if (isOver(session)) stream.destroy();
  }
}
