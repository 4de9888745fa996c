import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What something between browser and server makes of requests to the API. Pages and scripts always pass. */
export type Mood =
  | 'passes'
  /** Takes the request and never answers. */
  | 'is silent'
  /** The server is asked; its answer breaks off in the middle. */
  | 'breaks answers'
  /** A hotel's page, with status 200. */
  | 'shows its own page'
  /** JSON, but not the server's. */
  | 'answers other JSON'
  /** A proxy that does not find the server. */
  | 'says 404';

/** A proxy, a hotel, a bad line: the browser talks to it as if it were the service. */
export class Middlebox {
  mood: Mood = 'passes';
  /** Saves and other changes that it met in a mood. */
  met = 0;
  readonly #server: Server;
  readonly #target: string;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((request, response) => void this.#handle(request, response).catch(() => response.destroy()));
  }

  static async start(target: string): Promise<Middlebox> {
    const box = new Middlebox(target);
    await new Promise<void>(resolve => box.#server.listen(0, '127.0.0.1', resolve));
    return box;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '/', method = 'GET' } = request;
    const mood = url.startsWith('/api/') ? this.mood : 'passes';
    if (mood !== 'passes') this.met += 1;
    if (mood === 'is silent') return;
    if (mood === 'shows its own page') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in');
    if (mood === 'answers other JSON') return void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    if (mood === 'says 404') return void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>404 Not Found');
    const { host: _, connection: _connection, ...headers } = request.headers;
    const body = method === 'GET' || method === 'HEAD' ? null : await buffer(request);
    const answer = await fetch(this.#target + url, {
      method,
      headers: headers as Record<string, string>,
      body,
      redirect: 'manual',
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const told = new Headers(answer.headers);
    for (const name of ['content-encoding', 'transfer-encoding', 'connection']) told.delete(name);
    // A 304 has a length and no body.
    if (answer.status !== 304) told.set('content-length', String(bytes.length));
    response.writeHead(answer.status, Object.fromEntries(told));
    if (mood === 'breaks answers') response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
    else response.end(bytes);
  }
}
