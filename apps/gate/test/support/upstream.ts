import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { serve, type TestServer } from './servers.ts';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly octets: Uint8Array;
}

export interface Upstream extends TestServer {
  /** Every request that reached the application. */
  readonly seen: Seen[];
}

/** An application that answers with what it saw. `/hang` never answers; `/events` sends events; `/bytes/N` sends N bytes; `/sha` hashes a body; `/status/N` answers with it. */
export async function startUpstream(): Promise<Upstream> {
  const seen: Seen[] = [];
  const server = await serve(async (request, response) => {
    const url = request.url ?? '';
    if (url.startsWith('/hang')) return;
    if (url.startsWith('/events')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: one\n\n');
      const timer = setInterval(() => response.write('data: more\n\n'), 100);
      response.on('close', () => clearInterval(timer));
      return;
    }
    if (url.startsWith('/bytes/')) {
      let left = Number(url.slice('/bytes/'.length));
      const block = Buffer.alloc(65_536, 'x');
      const closed = new Promise(resolve => response.once('close', resolve));
      response.writeHead(200, { 'content-length': left });
      while (left > 0 && !response.destroyed) {
        const part = block.subarray(0, Math.min(left, block.length));
        left -= part.length;
        if (!response.write(part)) await Promise.race([new Promise(resolve => response.once('drain', resolve)), closed]);
      }
      response.end();
      return;
    }
    if (url.startsWith('/sha')) {
      const hash = createHash('sha256');
      let size = 0;
      for await (const chunk of request) {
        hash.update(chunk);
        size += chunk.length;
      }
      response.end(JSON.stringify({ size, sha: hash.digest('hex') }));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = {
      method: request.method ?? '',
      url,
      rawHeaders: request.rawHeaders,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    seen.push({ ...one, octets: Buffer.concat(chunks) });
    const status = Number(/^\/status\/(\d+)$/.exec(url)?.[1] ?? 200);
    response.writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      connection: 'x-hop',
      'x-hop': 'of this connection',
    });
    response.end(
      `<!doctype html><title>The application</title><h1>The application</h1><pre id="seen">${escapeHtml(JSON.stringify(one))}</pre>`,
    );
  });
  return Object.assign(server, { seen });
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Accepts a WebSocket without looking at its key, and sends back what comes. */
export function echoWebSocket(socket: Socket): void {
  socket.on('error', () => {});
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
  socket.pipe(socket);
}
