import { Agent, type ClientRequest, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { GateError } from '../errors.ts';
import { clientHeaders } from './headers.ts';

export interface ProxyTimeouts {
  readonly connectSeconds: number;
  readonly responseSeconds: number;
  readonly idleSeconds: number;
}

/** One request that was let through. */
export interface Passage {
  readonly upstream: URL;
  readonly method: string;
  /** Path and query, octet for octet as they were judged. */
  readonly target: string;
  readonly headers: readonly string[];
  readonly timeouts: ProxyTimeouts;
  /** A body that was read before and takes the place of the request's own. */
  readonly body?: Buffer;
  /** Cookies of ours for the answer. */
  readonly cookies: readonly string[];
}

/**
 * Streams requests to the upstream and answers back: nothing is gathered in memory, a slow reader slows the writer, and
 * when either side goes away the other is told.
 */
export class UpstreamProxy {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 256, scheduling: 'lifo' });

  /** Settles when the exchange is over. Throws `UPSTREAM_…` while nothing has been sent yet. */
  pass(request: IncomingMessage, response: ServerResponse, passage: Passage): Promise<void> {
    return new Promise((resolve, reject) => {
      const outgoing = this.#open(passage, request);
      const stopClocks = watchClocks(outgoing, passage.timeouts);
      let answered: IncomingMessage | undefined;
      const fail = (error: unknown) => {
        stopClocks();
        outgoing.destroy();
        if (response.headersSent || response.destroyed) {
          // Half an answer is out: only a broken connection says so.
          response.destroy();
          resolve();
        } else reject(error instanceof GateError ? error : new GateError('UPSTREAM_DOWN', undefined, { cause: error }));
      };
      outgoing.on('information', info => {
        if (info.statusCode === 103) response.writeEarlyHints(earlyHints(info.rawHeaders));
      });
      outgoing.on('response', incoming => {
        answered = incoming;
        const headers = clientHeaders(incoming.rawHeaders, incoming.headers.connection);
        for (const cookie of passage.cookies) headers.push('Set-Cookie', cookie);
        try {
          response.writeHead(incoming.statusCode as number, incoming.statusMessage, headers as unknown as Record<string, string>);
        } catch (error) {
          fail(error);
          return;
        }
        incoming.on('error', fail);
        incoming.pipe(response);
        // A stream of events must not wait for its first byte to show that it is there; a body that is here already goes along.
        setImmediate(() => {
          if (!response.writableEnded && !response.destroyed) response.flushHeaders();
        });
      });
      outgoing.on('error', fail);
      response.on('close', () => {
        stopClocks();
        // The reader left, or the answer ended before the upload: either way nobody waits for the rest.
        if (!response.writableFinished || !request.complete) {
          answered?.destroy();
          outgoing.destroy();
        }
        resolve();
      });
      if (passage.body !== undefined) {
        outgoing.end(passage.body);
        return;
      }
      request.on('error', () => outgoing.destroy());
      if (hasNoBody(request)) {
        request.resume();
        outgoing.end();
      } else request.pipe(outgoing);
    });
  }

  /** Passes an upgrade (WebSocket) on; the two sockets then speak to each other. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, passage: Passage, onOpen: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const protocol = request.headers.upgrade ?? '';
      const outgoing = openRequest({
        host: hostOf(passage.upstream),
        port: passage.upstream.port || 80,
        method: passage.method,
        path: passage.target,
        headers: [...passage.headers, 'Connection', 'Upgrade', 'Upgrade', protocol] as unknown as string[],
        agent: false,
      });
      const stopClocks = watchClocks(outgoing, passage.timeouts);
      outgoing.on('error', error => {
        stopClocks();
        reject(error instanceof GateError ? error : new GateError('UPSTREAM_DOWN', undefined, { cause: error }));
      });
      outgoing.on('response', incoming => {
        // The upstream refused: its answer goes back as it is, and the connection ends.
        stopClocks();
        socket.write(headText(incoming));
        incoming.pipe(socket);
        incoming.on('error', () => socket.destroy());
        socket.once('close', resolve);
      });
      outgoing.on('upgrade', (incoming, upstreamSocket: Duplex, upstreamHead: Buffer) => {
        stopClocks();
        socket.write(headText(incoming));
        if (upstreamHead.length > 0) socket.write(upstreamHead);
        if (head.length > 0) upstreamSocket.write(head);
        join(socket, upstreamSocket);
        onOpen();
        socket.once('close', resolve);
      });
      socket.on('error', () => outgoing.destroy());
      outgoing.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(passage: Passage, request: IncomingMessage): ClientRequest {
    const { upstream, method, target, body } = passage;
    const headers = [...passage.headers];
    const hasBody = request.headers['transfer-encoding'] !== undefined;
    if (body === undefined && hasBody) headers.push('Transfer-Encoding', 'chunked');
    return openRequest({
      host: hostOf(upstream),
      port: upstream.port || 80,
      method,
      path: target,
      headers: headers as unknown as string[],
      agent: this.#agent,
      setDefaultHeaders: false,
    });
  }
}

/** RFC 9112 §6.3: without either header a request has no body. */
function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Until connected, until the answer begins, and then between any two signs of life. @returns stops the first two */
function watchClocks(outgoing: ClientRequest, { connectSeconds, responseSeconds, idleSeconds }: ProxyTimeouts): () => void {
  let response: NodeJS.Timeout | undefined;
  let connect: NodeJS.Timeout | undefined;
  const connected = () => {
    clearTimeout(connect);
    // While an upload runs the upstream need not answer; the clock starts when it has everything.
    const start = () => {
      response = setTimeout(() => outgoing.destroy(new GateError('UPSTREAM_SLOW')), responseSeconds * 1000);
    };
    if (outgoing.writableFinished) start();
    else outgoing.once('finish', start);
  };
  // On the request and not on the socket, which is used again: its listeners would gather there and end a later request.
  outgoing.setTimeout(idleSeconds * 1000);
  outgoing.on('timeout', () => outgoing.destroy(new GateError('UPSTREAM_SLOW', 'nothing was heard for too long')));
  outgoing.on('socket', socket => {
    if (!socket.connecting) {
      connected();
      return;
    }
    socket.once('connect', connected);
    connect = setTimeout(() => outgoing.destroy(new GateError('UPSTREAM_DOWN', 'no connection in time')), connectSeconds * 1000);
  });
  const stop = () => {
    clearTimeout(connect);
    clearTimeout(response);
  };
  outgoing.once('response', stop);
  outgoing.once('close', stop);
  return stop;
}

function join(one: Duplex, other: Duplex): void {
  one.pipe(other);
  other.pipe(one);
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
}

/** Status line and headers as the upstream wrote them: Node's parser has refused line breaks inside. */
function headText(incoming: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${incoming.statusCode} ${incoming.statusMessage}`];
  for (let at = 0; at < incoming.rawHeaders.length; at += 2)
    lines.push(`${incoming.rawHeaders[at]}: ${incoming.rawHeaders[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function earlyHints(raw: readonly string[]): { link: string[] } {
  const link: string[] = [];
  for (let at = 0; at < raw.length; at += 2) if ((raw[at] as string).toLowerCase() === 'link') link.push(raw[at + 1] as string);
  return { link };
}
