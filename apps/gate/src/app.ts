import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { openStore, type SignInStore } from '@octavo/sign-in-store';
import type { Bridge } from './bridge/bridge.ts';
import { loadBridge } from './bridge/load.ts';
import type { Config } from './config/config.ts';
import { GateError } from './errors.ts';
import { type Answer, sendAnswer } from './http/answer.ts';
import { BodiesInFlight } from './http/bodies-in-flight.ts';
import { closeConnectionsWithServer } from './http/close-connections.ts';
import { answerHalfClosed } from './http/half-closed.ts';
import { sendLastAnswer } from './http/last-answer.ts';
import { listen } from './http/listen.ts';
import { requireOneReading } from './http/one-reading.ts';
import { type Peer, readPeer } from './http/peer.ts';
import { PipelinedRequests, stopReadingOnceClosed } from './http/pipelined.ts';
import { endStalledReaders } from './http/stalled-readers.ts';
import { answerUnreadable, copyNoUnreadable } from './http/unreadable.ts';
import { limits } from './limits.ts';
import { createIdentityTokens } from './operate/identity-token.ts';
import { errorFields, Log } from './operate/log.ts';
import { Metrics } from './operate/metrics.ts';
import { OpenStreams } from './proxy/open-streams.ts';
import { Places } from './proxy/places.ts';
import { UpstreamProxy } from './proxy/proxy.ts';
import { type Context, type Parts, speaksFor } from './routes/context.ts';
import { isQuestion } from './routes/forward-auth.ts';
import { isWebSocket, pass, passUpgrade } from './routes/pass.ts';
import { bridgeError, refusalOf } from './routes/refuse.ts';
import { answerOwn } from './routes/routes.ts';
import { PendingRecords } from './sessions/pending.ts';
import { Renewals } from './sessions/renew.ts';
import { Revocations } from './sessions/revocations.ts';
import { Sealer } from './sessions/seal.ts';
import { Sessions } from './sessions/sessions.ts';
import { closeDoors, createState, openDoors, type State } from './state.ts';
import { isAllowed, startTimers } from './timers.ts';
import { urls } from './urls.ts';

export { checkState } from './state.ts';

export interface Overrides {
  readonly now?: () => Date;
  readonly store?: SignInStore;
  readonly writeLog?: (line: string) => void;
  /** How often what is open is looked at. */
  readonly watchEveryMs?: number;
  /** How long a stop may wait for what is open. */
  readonly stopWithinMs?: number;
}

/** A running gate. */
export interface App {
  /** Where it listens, such as `http://127.0.0.1:4180`. */
  readonly address: string;
  readonly log: Log;
  /**
   * Applies a new configuration, unless a newer one is in effect by the time it is ready.
   * @returns the changed settings that take effect only after a restart
   */
  reload(config: Config): Promise<readonly string[]>;
  /** Reads every SAML provider's metadata again. */
  refreshMetadata(): Promise<void>;
  close(): Promise<void>;
}

/** Wires everything and listens. The only file that knows every room. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const now = overrides.now ?? (() => new Date());
  const log = new Log(config.log, now, overrides.writeLog);
  const store = overrides.store ?? (await openStore(config.session.store, { now }));
  const sealer = new Sealer(config.session.keys);
  const sessions = new Sessions(store, sealer, config.session, now);
  const pending = new PendingRecords(store, sealer, now);
  const streams = new OpenStreams();
  const metrics = new Metrics({ streams: () => streams.count, rows: () => store.count() });
  const revocations = new Revocations({ log, metrics, now, records: store.records, sealer: () => pending.sealer });
  const renewals = new Renewals(sessions, revocations, log, metrics, now);
  const proxy = new UpstreamProxy();
  const doorParts = {
    replayStore: store.replay,
    now,
    onMetadataError: (provider: string, error: unknown) =>
      log.warn('could not read the metadata of a provider', { provider, ...errorFields(error) }),
    // The error's message may name the person.
    onUserInfoError: (provider: string, error: unknown) =>
      log.warn('could not use the UserInfo response of a provider', { provider, code: errorFields(error).code }),
    onTokenError: (provider: string, error: unknown) =>
      log.warn('could not exchange an assertion for an access token', { provider, ...errorFields(error) }),
  };
  let parts: Parts = {
    store,
    sessions,
    pending,
    renewals,
    revocations,
    proxy,
    places: new Places(),
    streams,
    bodies: new BodiesInFlight(),
    log,
    metrics,
    now,
    identityToken: await createIdentityTokens(config, now),
    bridge: undefined,
  };
  let state = createState(config, doorParts);
  sessions.trustedDomains = provider => state.doors.get(provider)?.config.trustedEmailDomains;
  const createBridge = async (of: Config): Promise<Bridge | undefined> =>
    of.bridge &&
    new (await loadBridge(log))(of, of.bridge, {
      store,
      seal: () => pending.sealer,
      now,
      log,
      onSignedIn: application => metrics.applicationSignIns.inc({ application, outcome: 'signed-in' }),
      // A provider that is no longer configured vouches for nobody, at the bridge either.
      findSession: async key => {
        const found = await sessions.findByKey(key);
        // A person who lost a group at their provider also loses it at the applications, once the renewal is due.
        return found && speaksFor(state, found) ? renewals.renewIfDue(found, state) : undefined;
      },
      renderError: out => bridgeError(new URL(of.publicUrl).host, out),
    });
  parts = { ...parts, bridge: await createBridge(config) };
  const prepare = async (of: Config, its: State) => {
    const identityToken = await createIdentityTokens(of, now);
    await openDoors(its);
    return [identityToken, await createBridge(of)] as const;
  };
  renewals.onEnded = session => parts.bridge?.signOutLater([session.key]);
  await openDoors(state);

  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    // A request without a body has nothing to read, so no stream is set up for it.
    optimizeEmptyRequests: true,
    // Node ignores any other upgrade, as RFC 9110 §7.8 allows, and the request is answered like any other (Node 24.9).
    shouldUpgradeCallback: request => isWebSocket(request) && !isQuestion(request),
    requestTimeout: 0,
    headersTimeout: 20_000,
    keepAliveTimeout: 65_000,
    insecureHTTPParser: false,
  });
  answerHalfClosed(server);
  const cutConnections = closeConnectionsWithServer(server);
  endStalledReaders(server, () => state.config.timeouts.idleSeconds * 1_000);
  const pipelined = new PipelinedRequests();
  const inEffectNow = () => ({ state, parts });
  const begin = (request: IncomingMessage, response: ServerResponse) =>
    pipelined.begin(request, response, () => void answer(new RequestContext(request, response, inEffectNow)));
  server.on('request', begin);
  // A request with `Expect: 100-continue` is authorized first; without this listener Node would ask for the upload at once.
  server.on('checkContinue', begin);
  server.on('connection', stopReadingOnceClosed);
  server.on('connect', (_request, socket: Duplex) =>
    sendLastAnswer(socket, 'HTTP/1.1 405 Method Not Allowed\r\nAllow:\r\nConnection: close\r\n\r\n'),
  );
  server.on('upgrade', (request, socket: Duplex, head: Buffer) => void answerUpgrade(request, socket, head, inEffectNow));
  server.on('connection', copyNoUnreadable);
  server.on('clientError', answerUnreadable);
  await listen(server, config.listen);
  const stopTimers = startTimers(parts, () => state, overrides.watchEveryMs);
  let [readLast, inEffect] = [0, 0];
  return {
    address: addressOf(server),
    log,
    async reload(next) {
      readLast += 1;
      const turn = readLast;
      const fresh = createState(next, doorParts, state);
      const [identityToken, bridge] = await prepare(next, fresh).catch(error => {
        closeDoors(fresh);
        throw error;
      });
      // Loading metadata may take half a minute. A configuration that was read later and is already in effect must stay.
      if (turn < inEffect) {
        closeDoors(fresh);
        log.warn('a configuration was overtaken by a newer one and is not used');
        return [];
      }
      inEffect = turn;
      const old = state;
      const stays = fixedWhileRunning(old.config, next);
      const sealerNow = new Sealer(next.session.keys);
      sessions.sealer = sealerNow;
      pending.sealer = sealerNow;
      sessions.settings = next.session;
      log.level = next.log;
      parts = { ...parts, identityToken, bridge };
      state = fresh;
      closeDoors(old);
      // New rules apply to the next request, and to open streams as if they were new requests.
      streams.end((owner, facts) => !isAllowed(owner, facts, fresh), 'FORBIDDEN');
      log.audit('configuration-changed', { providers: [...fresh.doors.keys()], rules: next.rules.length });
      return stays;
    },
    async refreshMetadata() {
      await Promise.all([...state.doors.values()].map(door => ('refreshMetadata' in door ? door.refreshMetadata() : undefined)));
    },
    async close() {
      stopTimers();
      inEffect = Number.POSITIVE_INFINITY;
      const closed = new Promise(resolve => server.close(resolve));
      const hurry = setTimeout(cutConnections, overrides.stopWithinMs ?? limits.stopWithinMs);
      await closed;
      clearTimeout(hurry);
      closeDoors(state);
      await parts.bridge?.close();
      await revocations.close();
      proxy.close();
      if (overrides.store === undefined) await store.close();
    },
  };
}

type InEffect = Pick<Context, 'state' | 'parts'>;

/** One request. Its query is parsed on first use: a request that is passed on never needs it. */
class RequestContext implements Context {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly peer: Peer;
  state: State;
  parts: Parts;
  readonly path: string;
  readonly cookies: string[] = [];
  readonly #search: string;
  readonly #inEffect: () => InEffect;
  #query: URLSearchParams | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, inEffect: () => InEffect) {
    const { state, parts } = inEffect();
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    this.request = request;
    this.response = response;
    this.peer = readPeer(request, state.trusted);
    this.state = state;
    this.parts = parts;
    this.#inEffect = inEffect;
    this.path = mark === -1 ? url : url.slice(0, mark);
    this.#search = mark === -1 ? '' : url.slice(mark + 1);
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.#search);
    return this.#query;
  }

  catchUp(): boolean {
    const { state, parts } = this.#inEffect();
    if (state === this.state) return false;
    this.state = state;
    this.parts = parts;
    // Said of a session's cookie by the former keys; it is looked at again.
    this.cookies.length = 0;
    return true;
  }
}

async function answer(context: Context): Promise<void> {
  const { request, response, cookies } = context;
  try {
    requireOneReading(request);
    // The upgrade was ignored, so the client may send the other protocol on this connection next.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    const isOurs = isOwn(context.path);
    if (isOurs && request.headers.expect !== undefined) response.writeContinue();
    const own = await (isOurs ? answerOwn(context) : pass(context));
    if (own !== undefined) sendAnswer(response, own, cookies);
  } catch (error) {
    noteFailure(context, error);
    sendAnswer(response, refusalOf(context, error), cookies);
  } finally {
    // The unread rest of a refused upload must not precede the next request on this connection.
    if (!request.complete && response.writableEnded) request.resume();
  }
}

async function answerUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, inEffect: () => InEffect): Promise<void> {
  socket.on('error', () => socket.destroy());
  const context = new RequestContext(request, new ServerResponse(request), inEffect);
  try {
    requireOneReading(request);
    if (isOwn(context.path)) throw new GateError('NOT_FOUND');
    const own = await passUpgrade(context, socket, head);
    if (own !== undefined) writeRaw(socket, own);
  } catch (error) {
    noteFailure(context, error);
    writeRaw(socket, refusalOf(context, error));
  }
}

function writeRaw(socket: Duplex, { status, headers = {}, body = '' }: Answer): void {
  const lines = [`HTTP/1.1 ${status} Refused`, 'Connection: close', `Content-Length: ${Buffer.byteLength(body)}`];
  for (const [name, value] of Object.entries(headers)) if (typeof value === 'string') lines.push(`${name}: ${value}`);
  sendLastAnswer(socket, `${lines.join('\r\n')}\r\n\r\n${body}`);
}

function isOwn(path: string): boolean {
  return path === urls.root || path.startsWith(`${urls.root}/`);
}

const tokenCodes: ReadonlySet<string> = new Set(['TOKEN_REFUSED', 'ID_TOKEN_AS_CREDENTIAL', 'TOKENS_BUSY', 'TOO_MANY_TOKENS']);

function noteFailure({ parts, request }: Context, error: unknown): void {
  const method = request.method ?? '';
  if (error instanceof GateError) {
    if (error.code === 'UPSTREAM_DOWN' || error.code === 'UPSTREAM_SLOW') {
      parts.metrics.upstreamFailures.inc({ reason: error.code === 'UPSTREAM_DOWN' ? 'down' : 'slow' });
      parts.log.warn('the upstream did not answer', { method, ...errorFields(error) });
    } else if (tokenCodes.has(error.code)) parts.log.audit('token-refused', { reason: error.code });
    return;
  }
  // The sender left before the end of a form.
  if (request.readableAborted) return;
  parts.log.error('a request failed', { method, ...errorFields(error) });
}

function addressOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function fixedWhileRunning(old: Config, next: Config): string[] {
  const changed: string[] = [];
  if (old.listen.host !== next.listen.host || old.listen.port !== next.listen.port) changed.push('listen');
  if (old.session.store !== next.session.store) changed.push('session.store');
  return changed;
}
