import { Client } from 'undici';

/** More connections without work than this are closed. */
const maxFree = 256;

/**
 * Connections to one upstream, one request each at a time. undici's own pool looks through all of them, also those that are busy for hours with a
 * stream of events; here the one that was free last is taken, so that the others may end.
 */
export class Connections {
  readonly #origin: string;
  readonly #connectSeconds: number;
  readonly #free: Client[] = [];
  readonly #all = new Set<Client>();

  constructor(origin: string, connectSeconds: number) {
    this.#origin = origin;
    this.#connectSeconds = connectSeconds;
  }

  take(): Client {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    // It connects when it has something to send, and again when its connection has ended.
    const client = new Client(this.#origin, { pipelining: 1, connect: { timeout: this.#connectSeconds * 1000 } });
    this.#all.add(client);
    return client;
  }

  /** Whoever took one gives it back once, when its request is over. */
  give(client: Client): void {
    if (this.#free.length < maxFree) {
      this.#free.push(client);
      return;
    }
    this.#all.delete(client);
    void client.close();
  }

  close(): void {
    for (const client of this.#all) void client.destroy();
  }
}
