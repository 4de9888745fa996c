import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The address that a native app may listen on. */
export type LoopbackHost = '127.0.0.1' | '::1' | 'localhost';

/** The first request that was accepted. It has not been answered yet. */
export interface Arrival {
  address: string;
  response: ServerResponse;
}

const maxTries = 5;

/** Listens on loopback for one request. `localhost` uses both address families, because a browser may try either. */
export class LoopbackListener {
  readonly #servers: Server[] = [];
  readonly #arrived = Promise.withResolvers<Arrival>();
  #accepts: (request: IncomingMessage) => boolean = () => false;
  #refuse: (response: ServerResponse) => unknown = response => response.writeHead(404).end();
  #taken = false;

  /** Opens the port. @returns the authority of the redirect URI */
  async listen(host: LoopbackHost, port: number): Promise<string> {
    if (host !== 'localhost') return `${host === '::1' ? '[::1]' : host}:${await this.#bind(host, port)}`;
    for (let tries = 1; ; tries += 1) {
      const bound = await this.#bind('127.0.0.1', port);
      try {
        await this.#bind('::1', bound);
      } catch (error) {
        // A machine without IPv6 has only one localhost; on others, another program may hold the same port of the other family.
        const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
        if (isTaken && (port !== 0 || tries === maxTries)) throw error;
        if (isTaken) {
          this.#servers.pop()?.close();
          continue;
        }
      }
      return `localhost:${bound}`;
    }
  }

  /** Waits for the first request that is accepted; refuses all others. */
  first(accepts: (request: IncomingMessage) => boolean, refuse: (response: ServerResponse) => unknown): Promise<Arrival> {
    this.#accepts = accepts;
    this.#refuse = refuse;
    return this.#arrived.promise;
  }

  /** Frees the port at once, even while clients are connected. */
  close(): void {
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  async #bind(host: '127.0.0.1' | '::1', port: number): Promise<number> {
    const server = createServer({ requestTimeout: 10_000 }, (request, response) => this.#answer(request, response));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, resolve);
    await promise;
    this.#servers.push(server);
    return (server.address() as AddressInfo).port;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (this.#taken || !this.#accepts(request)) return void this.#refuse(response);
    this.#taken = true;
    this.#arrived.resolve({ address: request.url as string, response });
  }
}
