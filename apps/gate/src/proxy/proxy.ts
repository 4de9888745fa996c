import { type ClientRequest, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, PassThrough } from 'node:stream';
import { GateError } from '../errors.ts';
import { closeOnceQuiet } from '../http/half-closed.ts';
import { Connections } from './connections.ts';
import { Exchange } from './exchange.ts';
import { type AnswerParts, answerHeaders } from './headers.ts';

export interface ProxyTimeouts {
  readonly connectSeconds: number;
  readonly responseSeconds: number;
  readonly idleSeconds: number;
}

/** A request that was let through. */
export interface Passage extends AnswerParts {
  readonly upstream: URL;
  readonly method: string;
  /** Path and query, byte for byte as they were authorized. */
  readonly target: string;
  readonly headers: readonly string[];
  readonly timeouts: ProxyTimeouts;
  /** Our cookies for the answer. */
  readonly cookies: readonly string[];
}

export interface PassageEvents {
  /** Called at once, with what ends the exchange: with an answer of ours, or, if the upstream's has begun, by breaking the connection. */
  readonly onBegun?: (end: (error: GateError) => void) => void;
  /** Called when nothing more goes to the person. */
  readonly onClosed?: (() => void) | undefined;
  /** Called when the upstream is done with the request. */
  readonly onFree?: (() => void) | undefined;
}

/** Streams requests to the upstream and answers back without buffering whole bodies. Connections are kept and reused. */
export class UpstreamProxy {
  /** Keyed by address and timeout: a new configuration may change both. */
  readonly #connections = new Map<string, Connections>();

  /** Settles when the exchange is over. Throws `UPSTREAM_…`, or what it was ended with, if nothing has been sent yet. */
  pass(
    request: IncomingMessage,
    response: ServerResponse,
    passage: Passage,
    { onBegun, onClosed, onFree }: PassageEvents = {},
  ): Promise<undefined> {
    return new Promise((resolve, reject) => {
      const { method, target, headers, timeouts } = passage;
      const connections = this.#connectionsTo(passage);
      const connection = connections.take();
      const isEmpty = hasNoBody(request);
      const exchange = new Exchange(request, response, passage, {
        resolve,
        reject,
        onClosed,
        onFree: () => {
          connections.give(connection);
          onFree?.();
        },
      });
      onBegun?.(error => exchange.fail(error));
      connection.dispatch(
        {
          method: method as 'GET',
          path: target,
          headers: headers as string[],
          body: isEmpty ? null : uploadOf(request, timeouts.idleSeconds, error => exchange.fail(error)),
          headersTimeout: timeouts.responseSeconds * 1000,
          bodyTimeout: timeouts.idleSeconds * 1000,
          reset: false,
        },
        exchange,
      );
      // An unread request would block the next one on its connection.
      if (isEmpty && !request.readableEnded) request.resume();
    });
  }

  /** Passes an upgrade (WebSocket) on and joins the two sockets. Throws what it was ended with, if the upstream has not answered yet. */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    passage: Passage,
    onBegun: (end: (error: GateError) => void) => void = () => {},
  ): Promise<void> {
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
      let isAnswered = false;
      onBegun(error => void (isAnswered ? socket.destroy() : outgoing.destroy(error)));
      outgoing.on('error', error => {
        stopClocks();
        reject(error instanceof GateError ? error : new GateError('UPSTREAM_DOWN', undefined, { cause: error }));
      });
      outgoing.on('response', incoming => {
        // The upstream refused: its answer goes back like any other, and the connection ends with it.
        stopClocks();
        isAnswered = true;
        writeHead(socket, incoming, [...answerHeaders(incoming.rawHeaders, passage), 'Connection', 'close']);
        incoming.pipe(socket);
        incoming.on('error', () => socket.destroy());
      });
      outgoing.on('upgrade', (incoming, upstreamSocket: Duplex, upstreamHead: Buffer) => {
        stopClocks();
        isAnswered = true;
        const { rawHeaders } = incoming;
        const opened = rawHeaders.flatMap((name, at) =>
          at % 2 === 0 && /^(?:connection|upgrade)$/i.test(name) ? [name, rawHeaders[at + 1] as string] : [],
        );
        writeHead(socket, incoming, [...answerHeaders(rawHeaders, passage), ...opened]);
        if (upstreamHead.length > 0) socket.write(upstreamHead);
        if (head.length > 0) upstreamSocket.write(head);
        join(socket, upstreamSocket);
        // The client may be gone. An application that does not end its own side would keep it without end.
        socket.once('end', () => closeOnceQuiet(socket as Socket));
      });
      // The person may leave before the application has answered.
      socket.once('close', () => {
        resolve();
        outgoing.destroy();
      });
      outgoing.end();
    });
  }

  close(): void {
    for (const connections of this.#connections.values()) connections.close();
  }

  #connectionsTo({ upstream, timeouts: { connectSeconds } }: Passage): Connections {
    const name = `${upstream.origin} ${connectSeconds}`;
    let connections = this.#connections.get(name);
    if (connections === undefined) {
      connections = new Connections(upstream.origin, connectSeconds);
      this.#connections.set(name, connections);
    }
    return connections;
  }
}

/** RFC 9112 §6.3: without either header a request has no body. */
export function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
}

/**
 * The request's body as a stream of its own: undici may destroy it without harming the client's connection. The exchange ends
 * when the sender stays silent for too long.
 */
function uploadOf(request: IncomingMessage, idleSeconds: number, fail: (error: Error) => void): PassThrough {
  const upload = new PassThrough();
  const clock = setTimeout(() => fail(new GateError('UPSTREAM_SLOW', 'no data was sent in time')), idleSeconds * 1000);
  request.on('data', () => clock.refresh());
  request.on('error', error => upload.destroy(error));
  upload.on('close', () => clearTimeout(clock));
  request.pipe(upload);
  return upload;
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/**
 * Time limits: until connected, until the answer begins, and then between any two signs of life. @returns a function that stops
 * the first two
 */
function watchClocks(outgoing: ClientRequest, { connectSeconds, responseSeconds, idleSeconds }: ProxyTimeouts): () => void {
  let response: NodeJS.Timeout | undefined;
  let connect: NodeJS.Timeout | undefined;
  const connected = () => {
    clearTimeout(connect);
    // While an upload runs, the upstream need not answer; the clock starts when it has everything.
    const start = () => {
      response = setTimeout(() => outgoing.destroy(new GateError('UPSTREAM_SLOW')), responseSeconds * 1000);
    };
    if (outgoing.writableFinished) start();
    else outgoing.once('finish', start);
  };
  // Set on the request, not on the socket: sockets are reused, so listeners would pile up there and end a later request.
  outgoing.setTimeout(idleSeconds * 1000);
  outgoing.on('timeout', () => outgoing.destroy(new GateError('UPSTREAM_SLOW', 'no data was sent in time')));
  outgoing.on('socket', socket => {
    if (!socket.connecting) {
      connected();
      return;
    }
    socket.once('connect', connected);
    connect = setTimeout(
      () => outgoing.destroy(new GateError('UPSTREAM_DOWN', 'no connection was made in time')),
      connectSeconds * 1000,
    );
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

/** Node's parser has already refused line breaks inside; latin1 keeps every byte as it is. */
function writeHead(socket: Duplex, { statusCode, statusMessage }: IncomingMessage, headers: readonly string[]): void {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
