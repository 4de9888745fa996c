import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';
import type { Pressure } from './pressure.ts';
import { type ReadyStatus, sendReady } from './ready-answer.ts';
import { RequestLine, stopReadingEnded } from './request-line.ts';
import { requestLine } from './request-log.ts';
import type { UnreadAnswers } from './unread-answers.ts';

/** An answer that lies ready. */
export interface Ready {
  readonly status: ReadyStatus;
  /** `prepareHead`. */
  readonly head: string;
  readonly body?: Buffer | undefined;
}

/** Answers GET requests without the framework, where everything for the answer is at hand. */
export interface QuickRoute {
  /** The pattern that logs, metrics and the watchdog know it by. */
  readonly route: string;
  takes(url: string): boolean;
  /**
   * Undefined: the framework's to answer.
   * @param shared the request came in this turn of the event loop, and nothing that was read in this turn is older than it
   */
  find(url: string, headers: IncomingHttpHeaders, shared: boolean): Ready | undefined | Promise<Ready | undefined>;
}

export interface FrontDoorOptions {
  readonly routes: readonly QuickRoute[];
  readonly pressure: Pressure;
  readonly unread: Pick<UnreadAnswers, 'add'>;
  readonly metrics: Metrics | undefined;
  readonly pulse: { begin(name: string): void; end(name: string): void } | undefined;
}

/** Bodies, proofs and whatever else changes an answer go the long way. */
function isPlain({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers['x-edit-token'] === undefined &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    (headers.cookie === undefined || !headers.cookie.includes('nb_'))
  );
}

/** Proxies of which the framework has heard already (`warnOfUntrustedProxy`). */
const mostPeers = 1_024;

/** As many connections as can surely be read in one turn of the event loop: libuv asks for 1,024 events at once. */
const mostConnections = 512;

/**
 * Stands before the framework, in the server's own request handler. What the framework does for every request is done here too: it
 * counts as being answered, its route is told to the watchdog, the log and the metrics. Whatever is not plain is passed on untouched.
 */
export function openFrontDoor(server: FastifyInstance, options: FrontDoorOptions): void {
  const { routes, pressure, unread, metrics, pulse } = options;
  const { server: listener, log } = server;
  const framework = listener.listeners('request') as RequestListener[];
  const peers = new Set<string | undefined>();
  const line = new RequestLine();
  let connections = 0;
  let closing = false;

  server.addHook('preClose', async () => {
    closing = true;
  });
  listener.on('connection', socket => {
    connections += 1;
    stopReadingEnded(socket);
    socket.once('close', () => {
      connections -= 1;
    });
  });

  const passOn: RequestListener = (request, response) => {
    for (const listen of framework) listen.call(listener, request, response);
  };

  /** The framework looks at the first request that a peer forwards. */
  function isKnownPeer({ headers, socket }: IncomingMessage): boolean {
    if (headers['x-forwarded-for'] === undefined || peers.has(socket.remoteAddress)) return true;
    if (peers.size >= mostPeers) peers.clear();
    peers.add(socket.remoteAddress);
    return false;
  }

  /** A request behind another of its connection may have been read long before it is looked at, or long after. */
  function isOfThisTurn({ socket }: IncomingMessage): boolean {
    return connections <= mostConnections && !line.isPipelined(socket);
  }

  function note(request: IncomingMessage, response: ServerResponse, name: string, route: string): void {
    const started = performance.now();
    pressure.requests += 1;
    pulse?.begin(name);
    response.once('close', () => {
      pulse?.end(name);
      const logged = log.isLevelEnabled('info');
      if (!logged && !metrics) return;
      const elapsed = performance.now() - started;
      metrics?.count('GET', route, response.statusCode, elapsed);
      if (logged)
        log.info(
          { reqId: server.genReqId(request), ...requestLine('GET', request.url!, response.statusCode, elapsed) },
          'request',
        );
    });
  }

  function answer(request: IncomingMessage, response: ServerResponse, found: Ready, { name, route }: Named): void {
    note(request, response, name, route);
    if (found.body) unread.add(request.socket.remoteAddress, response, found.body);
    sendReady(request, response, found.status, found.head, listener.keepAliveTimeout, found.body);
    // What is left is to be read, which is nothing of ours to do.
    pressure.requests -= 1;
  }

  const named = routes.map(quick => ({ quick, route: quick.route, name: `GET ${quick.route}` }));
  type Named = (typeof named)[number];

  const begin: RequestListener = (request, response) => {
    const url = request.url!;
    const known = named.find(({ quick }) => quick.takes(url));
    if (!known || closing || !isPlain(request) || !isKnownPeer(request)) return passOn(request, response);
    const found = known.quick.find(url, request.headers, isOfThisTurn(request));
    if (found === undefined) return passOn(request, response);
    if (!(found instanceof Promise)) return answer(request, response, found, known);
    pressure.requests += 1;
    // What failed the framework asks again, and says what is wrong.
    void found
      .catch(() => undefined)
      .then(ready => {
        pressure.requests -= 1;
        if (ready && !closing) answer(request, response, ready, known);
        else passOn(request, response);
      });
  };

  listener.removeAllListeners('request');
  listener.on('request', (request, response) => line.enter(request, response, () => begin(request, response)));
}
