import type { Duplex } from 'node:stream';

/** Sockets and answers that go on for long, by session: they end when the session does. */
export class OpenStreams {
  readonly #bySession = new Map<string, Set<Duplex>>();
  #count = 0;

  add(session: string, stream: Duplex): void {
    const streams = this.#bySession.get(session) ?? new Set();
    this.#bySession.set(session, streams);
    streams.add(stream);
    this.#count += 1;
    stream.once('close', () => {
      this.#count -= 1;
      streams.delete(stream);
      if (streams.size === 0 && this.#bySession.get(session) === streams) this.#bySession.delete(session);
    });
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
