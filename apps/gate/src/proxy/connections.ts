import { Client } from 'undici';

/** Idle connections beyond this number are closed. */
const maxFree = 256;

/**
 * Connections to one upstream, with one request each at a time. undici's own pool searches all of them, also those that an event
 * stream keeps busy for hours. Here the most recently freed one is taken, so that the others can time out.
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
    // The client connects when it has something to send, and reconnects when its connection has ended.
    const client = new Client(this.#origin, { pipelining: 1, connect: { timeout: this.#connectSeconds * 1000 } });
    this.#all.add(client);
    return client;
  }

  /** The caller gives each connection back once, when its request is over. */
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
