import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { clientKey } from './addresses/client-ip.ts';
import { hasOneHost } from './addresses/one-host.ts';
import { AnswerBatch } from './answers/answer-batch.ts';
import { type ReadyStatus, setReadyHead } from './answers/ready-answer.ts';
import { drainBody } from './bodies/drain-body.ts';
import { copyNoUnreadable } from './connections/client-error.ts';
import { endInTurns } from './connections/connection-ends.ts';
import { answerOnHalfClose, giveUpOnHalfClose } from './connections/half-closed.ts';
import { PipelinedRequests, stopParsingOnceClosed } from './connections/pipelined-requests.ts';
import { alwaysAnswered, type Pressure } from './load/pressure.ts';
import { RequestScheduler } from './load/request-scheduler.ts';
import type { UnreadAnswers } from './load/unread-answers.ts';
import type { Metrics } from './metrics.ts';
import { requestLine } from './request-log.ts';

/** A prepared answer. */
export interface Ready {
  readonly status: ReadyStatus;
  /** From `prepareHead`. */
  readonly head: string;
  readonly body?: Buffer | undefined;
}

/** Answers GET requests without the framework when everything for the answer is at hand. */
export interface QuickRoute {
  /** The pattern that identifies it in logs, metrics and the watchdog. */
  readonly route: string;
  takes(url: string): boolean;
  /**
   * Undefined: the framework answers.
   * @param shared true when the request arrived and begins in one turn of the event loop, so that no read of this turn is older than the request
   * @param client whom a wait for the database is for (`workFor`): the connection's address, which may be a proxy's
   */
  find(
    url: string,
    headers: IncomingHttpHeaders,
    shared: boolean,
    client: () => string,
  ): Ready | undefined | Promise<Ready | undefined>;
}

export interface FrontDoorOptions {
  readonly routes: readonly QuickRoute[];
  readonly pressure: Pressure;
  readonly unread: Pick<UnreadAnswers, 'add'>;
  readonly metrics: Metrics | undefined;
  readonly pulse: { begin(name: string): void; end(name: string): void } | undefined;
}

/** Requests with a body, a proof or anything else that changes the answer go to the framework. */
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

/** RFC 9112 §3.2.2: a server takes whole addresses too. All that follows reads paths, and the log keeps only theirs free of slugs. */
function pathOf(url: string): string {
  if (url[0] === '/') return url;
  const path = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  return path[0] === '/' || path === '*' ? path : `/${path}`;
}

/**
 * What still arrives of a body in chunks when its request is answered is read and counted by us. Node would read it to its end, however
 * many chunks it has.
 */
function drainAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers['transfer-encoding'] === undefined) return;
  response.prependListener('finish', () => {
    // Node leaves a body alone once its reading has begun.
    request.read(0);
    void drainBody(request);
  });
}

/** Limit of remembered proxies, which the framework has already seen (`warnOfUntrustedProxy`). */
const maxPeers = 1_024;

/** The number of connections that can surely be read in one turn of the event loop: libuv asks for 1,024 events at once. */
const maxConnections = 512;

/** Supervisors that are answered before everybody else at the same time. */
const maxSupervisors = 16;

/** Clients with a view that begins before everybody else's requests in one turn: two milliseconds from memory. */
const maxAhead = 32;

/** A millisecond of views from memory, for which a look at the clock and a turn would be a hundredth of the cost. */
const untimedRequests = 64;

/**
 * The counts, the time limits and a search each learn that an answer has closed, and Node listens four times to send a stream. That can be
 * more than the 10 listeners at which Node warns of a leak.
 */
const maxListeners = 20;

/**
 * Runs before the framework, in the server's own request handler. It does here what the framework does for every request: it counts the
 * request as under way and reports its route to the watchdog, the log and the metrics. Any request that is not plain is passed on
 * untouched.
 */
export function openFrontDoor(server: FastifyInstance, options: FrontDoorOptions): void {
  const { routes, pressure, unread, metrics, pulse } = options;
  const { server: listener, log } = server;
  const framework = listener.listeners('request') as RequestListener[];
  const peers = new Set<string | undefined>();
  const line = new PipelinedRequests();
  const waited = new WeakSet<IncomingMessage>();
  const supervisors = new Set<string>();
  const ahead = new Set<string>();
  const batch = new AnswerBatch();
  // Two thousand requests that are read in one turn of the event loop cost half of their time before the framework's own schedule.
  const arrivals = new RequestScheduler(undefined, untimedRequests);
  let connections = 0;
  let closing = false;

  server.addHook('preClose', async () => {
    closing = true;
  });
  listener.on('connection', socket => {
    connections += 1;
    endInTurns(socket, () => line.waitingOf(socket));
    stopParsingOnceClosed(socket);
    copyNoUnreadable(socket);
    socket.once('close', () => {
      connections -= 1;
    });
  });

  const passOn: RequestListener = (request, response) => {
    for (const listen of framework) listen.call(listener, request, response);
  };

  /** The framework checks the first request that a peer forwards. */
  function isKnownPeer({ headers, socket }: IncomingMessage): boolean {
    if (headers['x-forwarded-for'] === undefined || peers.has(socket.remoteAddress)) return true;
    if (peers.size >= maxPeers) peers.clear();
    peers.add(socket.remoteAddress);
    return false;
  }

  /**
   * A request behind another on its connection may have been read long before it is handled, or long after. One that waited for its turn
   * may begin after this turn's events were read: what it reads must not stand for requests that are read in the next.
   */
  function isOfThisTurn(request: IncomingMessage): boolean {
    return connections <= maxConnections && !line.isPipelined(request.socket) && !waited.has(request);
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
    setReadyHead(request, response, found.status, found.head, listener.keepAliveTimeout);
    batch.end(response, found.body);
    // Only the client's reading is left, which is no work for us.
    pressure.requests -= 1;
  }

  const named = routes.map(quick => ({ quick, route: quick.route, name: `GET ${quick.route}` }));
  type Named = (typeof named)[number];

  const begin: RequestListener = (request, response) => {
    if (!hasOneHost(request)) return void response.writeHead(400, { connection: 'close' }).end();
    const url = request.url!;
    const known = named.find(({ quick }) => quick.takes(url));
    if (!known || closing || !isPlain(request) || !isKnownPeer(request)) return passOn(request, response);
    const clientOf = () => clientKey(request.socket.remoteAddress);
    const found = known.quick.find(url, request.headers, isOfThisTurn(request), clientOf);
    if (found === undefined) return passOn(request, response);
    if (!(found instanceof Promise)) return answer(request, response, found, known);
    const client = clientOf();
    pressure.begin(client);
    // After a failure, the framework queries again and reports the fault.
    void found
      .catch(() => undefined)
      .then(ready => {
        pressure.end(client);
        // The client left. Node emits `close` only once, so the request would count as under way forever.
        if (response.destroyed) return;
        if (ready && !closing) answer(request, response, ready, known);
        else passOn(request, response);
      });
  };

  /** A supervisor asks for one thing at a time: two thousand that each ask for it in one moment would keep out all others. */
  function isSupervisor({ method, url, socket }: IncomingMessage, response: ServerResponse): boolean {
    // A body could be withheld.
    if (!alwaysAnswered.has(url!) || (method !== 'GET' && method !== 'HEAD')) return false;
    const client = clientKey(socket.remoteAddress);
    if (supervisors.has(client) || supervisors.size >= maxSupervisors) return false;
    supervisors.add(client);
    // Not at once: of requests that are read in one turn, each is answered before the next is read.
    response.once('close', () => setImmediate(() => supervisors.delete(client)));
    return true;
  }

  /**
   * The first view of a client in this turn: behind a burst of others' requests, a reader of one page would wait for several turns, and
   * each may be long.
   */
  function goesAhead({ method, url, socket }: IncomingMessage): boolean {
    if (method !== 'GET' || ahead.size >= maxAhead || !named.some(({ quick }) => quick.takes(url!))) return false;
    const client = clientKey(socket.remoteAddress);
    if (ahead.has(client)) return false;
    if (ahead.size === 0) setImmediate(() => ahead.clear());
    ahead.add(client);
    return true;
  }

  function goInTurn(request: IncomingMessage, response: ServerResponse, go: RequestListener): void {
    if (arrivals.beginsAtOnce() || isSupervisor(request, response) || goesAhead(request)) {
      go(request, response);
      return;
    }
    waited.add(request);
    giveUpOnHalfClose(request);
    // A proxy's clients share its line here, and take turns of their own after it.
    void arrivals.wait(clientKey(request.socket.remoteAddress)).then(() => {
      answerOnHalfClose(request);
      // As above: nobody would learn that it is over.
      if (!response.destroyed) go(request, response);
    });
  }

  const listen = (event: string, go: RequestListener) =>
    listener.on(event, (request, response) => {
      request.url = pathOf(request.url!);
      response.setMaxListeners(maxListeners);
      drainAfterAnswer(request, response);
      line.enter(request, response, () => goInTurn(request, response, go));
    });
  listener.removeAllListeners('request');
  listen('request', begin);
  // Without these listeners, Node answers on its own while it reads.
  listen('checkContinue', (request, response) => {
    response.writeContinue();
    begin(request, response);
  });
  listen('checkExpectation', (_, response) => response.writeHead(417).end());
}
