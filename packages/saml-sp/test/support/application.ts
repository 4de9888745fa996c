import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OutgoingMessage } from '../../src/bindings/http-message.ts';
import {
  type IdentityProvider,
  MemoryReplayStore,
  type PendingSignIn,
  type PendingSignOut,
  SamlError,
  type SamlIdentity,
  ServiceProvider,
  type ServiceProviderOptions,
} from '../../src/index.ts';
import { readBody, serve, type TestServer } from './http-server.ts';
import { testKey } from './keys.ts';

/** A small application with a session, in front of a real identity provider. */
export interface Application extends TestServer {
  sp: ServiceProvider;
  /** Sessions that are open now. */
  sessions: Map<string, SamlIdentity>;
  /** Codes of refusals, newest last. */
  refusals: string[];
}

interface State {
  signIns: Map<string, PendingSignIn>;
  logouts: Map<string, PendingSignOut>;
  application: Application;
  identityProvider: string;
}

const cookieOf = (request: IncomingMessage): string => /visitor=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';

function send(response: ServerResponse, message: OutgoingMessage): void {
  if (message.kind === 'redirect') {
    response.writeHead(302, { location: message.url }).end();
    return;
  }
  response
    .writeHead(200, { 'content-type': 'text/html', 'content-security-policy': message.contentSecurityPolicy })
    .end(message.html);
}

const text = (response: ServerResponse, status: number, body: string): void => {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(body);
};

async function signIn(state: State, query: URLSearchParams, response: ServerResponse): Promise<void> {
  const started = await state.application.sp.startSignIn(state.identityProvider, {
    binding: query.get('binding') === 'post' ? 'post' : 'redirect',
    responseBinding: query.get('answer') === 'artifact' ? 'artifact' : 'post',
    forceAuthn: query.has('force'),
    isPassive: query.has('passive'),
  });
  const visitor = crypto.randomUUID();
  state.signIns.set(visitor, started.pending);
  response.setHeader('set-cookie', `visitor=${visitor}; Path=/; HttpOnly; Secure; SameSite=None`);
  send(response, started.send);
}

const received = async (request: IncomingMessage) => ({
  method: request.method ?? '',
  url: request.url ?? '',
  contentType: request.headers['content-type'],
  body: await readBody(request),
});

async function consume(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const visitor = cookieOf(request);
  const identity = await state.application.sp.finishSignIn(await received(request), state.signIns.get(visitor));
  state.signIns.delete(visitor);
  state.application.sessions.set(visitor, identity);
  text(response, 200, `signed in as ${identity.nameId?.value}`);
}

/** Our own session ends before anyone is asked (SDP-SP34). */
async function signOut(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const visitor = cookieOf(request);
  const identity = state.application.sessions.get(visitor);
  state.application.sessions.delete(visitor);
  if (identity?.nameId === undefined) {
    text(response, 200, 'nobody was signed in');
    return;
  }
  const index = identity.authentication?.sessionIndex;
  const started = await state.application.sp.startSignOut(identity.issuer, {
    nameId: identity.nameId,
    sessionIndexes: index === undefined ? [] : [index],
  });
  state.logouts.set(visitor, started.pending);
  send(response, started.send);
}

async function readLogout(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const visitor = cookieOf(request);
  const logout = await state.application.sp.receiveLogout(await received(request), state.logouts.get(visitor));
  if (logout.kind === 'response') {
    text(response, 200, `logout ${logout.outcome}`);
    return;
  }
  for (const [key, identity] of state.application.sessions) {
    const index = identity.authentication?.sessionIndex ?? '';
    const meant = logout.sessionIndexes.length === 0 || logout.sessionIndexes.includes(index);
    if (meant && identity.nameId?.value === logout.nameId.value) state.application.sessions.delete(key);
  }
  send(response, logout.answer('complete'));
}

async function route(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path, query = ''] = (request.url ?? '').split('?');
  if (path === '/sign-in') return await signIn(state, new URLSearchParams(query), response);
  if (path === '/saml/acs') return await consume(state, request, response);
  if (path === '/sign-out') return await signOut(state, request, response);
  if (path === '/saml/slo') return await readLogout(state, request, response);
  const identity = state.application.sessions.get(cookieOf(request));
  return text(response, 200, identity === undefined ? 'signed out' : `hello ${identity.nameId?.value}`);
}

/** Starts an application that knows one identity provider. */
export async function startApplication(
  identityProvider: IdentityProvider,
  options: Partial<ServiceProviderOptions> = {},
): Promise<Application> {
  let state: State | undefined;
  const server = await serve(async (request, response) => {
    if (state === undefined) return;
    try {
      await route(state, request, response);
    } catch (error) {
      if (!(error instanceof SamlError)) throw error;
      state.application.refusals.push(error.code);
      text(response, 403, error.code);
    }
  });
  const key = { privateKey: testKey('sp').privateKey, certificate: testKey('sp').certificate };
  const sp = new ServiceProvider({
    entityId: `${server.origin}/saml/metadata`,
    assertionConsumerServiceUrl: `${server.origin}/saml/acs`,
    singleLogoutServiceUrl: `${server.origin}/saml/slo`,
    signingKeys: [key],
    decryptionKeys: [key],
    identityProviders: [identityProvider],
    replayStore: new MemoryReplayStore(),
    ...options,
  });
  const application: Application = {
    ...server,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
    sp,
    sessions: new Map(),
    refusals: [],
  };
  state = { signIns: new Map(), logouts: new Map(), application, identityProvider: identityProvider.entityId };
  return application;
}
