import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SignInRequest } from './authorization-request.ts';
import type { RelyingPartyOptions } from './configuration.ts';
import { platformEnvironment, randomText } from './environment.ts';
import { OidcError } from './errors.ts';
import { openSystemBrowser } from './open-browser.ts';
import { RelyingParty } from './relying-party.ts';
import { isSameText } from './same-text.ts';
import type { SignIn } from './sign-in.ts';

/** How a native app signs somebody in. It is a public client: there is no place for a secret. */
export interface LoopbackOptions extends Omit<RelyingPartyOptions, 'redirectUri' | 'clientAuthentication' | 'responseMode'> {
  /** What to ask of the provider. */
  request?: SignInRequest;
  /** The loopback literal to listen on. Default `127.0.0.1`. */
  host?: '127.0.0.1' | '::1';
  /**
   * The path of the redirect address. Default: a random one. Providers ignore the port of a registered loopback address
   * (RFC 8252 §7.3) but most compare the path: then give the registered one; the state alone still keeps strangers out.
   */
  path?: string;
  /** How long the person may take. Default 300,000. */
  timeoutMs?: number;
  /** Opens the address; default: the system's browser. Never an embedded view, which could read the password. */
  openBrowser?: (url: URL) => Promise<void> | void;
}

/** A finished sign-in of a native app, with the relying party that made it, for refresh and sign-out. */
export interface LoopbackSignIn {
  signIn: SignIn;
  relyingParty: RelyingParty;
}

const pageHeaders = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'",
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

/**
 * Signs a person in from a native app (RFC 8252): listens on a loopback literal at a port of the system's choice and a
 * random path, opens the browser, takes the first answer that belongs to this sign-in, and closes.
 *
 * @throws {@link OidcError} `OIDC_NATIVE_TIMEOUT`, `OIDC_NATIVE_BROWSER`, and those of `RelyingParty`
 */
export async function signInWithLoopback(options: LoopbackOptions): Promise<LoopbackSignIn> {
  const { request, path: given, host = '127.0.0.1', timeoutMs = 300_000, openBrowser = openSystemBrowser, ...rest } = options;
  const path = given ?? `/${randomText({ ...platformEnvironment, ...rest.environment })}`;
  const server = createServer({ requestTimeout: 10_000 });
  const authority = await listen(server, host);
  try {
    const redirectUri = `http://${authority}${path}`;
    const relyingParty = new RelyingParty({ ...rest, clientAuthentication: { method: 'none' }, redirectUri });
    const { url, pending } = await relyingParty.startSignIn(request);
    const callback = waitForCallback(server, { authority, path, state: pending.state }, timeoutMs);
    // Not awaited: an opener that returns late, or never, must not hold the sign-in up.
    opened(openBrowser, url).catch(callback.fail);
    const { address, response } = await callback.arrived;
    const signIn = await answering(response, relyingParty.finishSignIn(address, pending));
    return { signIn, relyingParty };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function listen(server: Server, host: '127.0.0.1' | '::1'): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ port: 0, host, exclusive: true }, resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  return `${host === '::1' ? '[::1]' : host}:${port}`;
}

async function opened(openBrowser: (url: URL) => Promise<void> | void, url: URL): Promise<void> {
  await openBrowser(url);
}

interface Expected {
  authority: string;
  path: string;
  state: string;
}

interface Arrival {
  address: string;
  response: ServerResponse;
}

function waitForCallback(
  server: Server,
  expected: Expected,
  timeoutMs: number,
): { arrived: Promise<Arrival>; fail: (error: unknown) => void } {
  const { promise, resolve, reject } = Promise.withResolvers<Arrival>();
  promise.catch(() => undefined);
  const late = () =>
    reject(new OidcError('OIDC_NATIVE_TIMEOUT', { check: 'native.loopback', expected: `an answer within ${timeoutMs} ms` }));
  const timer = setTimeout(late, timeoutMs);
  let taken = false;
  server.on('request', (request, response) => {
    if (taken || !isCallback(request, expected)) return void page(response, 404, 'Nothing is here.');
    taken = true;
    clearTimeout(timer);
    resolve({ address: request.url as string, response });
  });
  server.once('close', () => clearTimeout(timer));
  return { arrived: promise, fail: reject };
}

// Other programs and pages of this machine can reach the port. The literal Host header refuses names that were rebound
// to it; path and state refuse everyone who does not know this sign-in.
function isCallback(request: IncomingMessage, expected: Expected): boolean {
  const [path, query = ''] = (request.url ?? '').split('?', 2);
  if (request.method !== 'GET' || request.headers.host !== expected.authority || path !== expected.path) return false;
  const states = new URLSearchParams(query).getAll('state');
  return states.length === 1 && isSameText(states[0]!, expected.state);
}

async function answering(response: ServerResponse, outcome: Promise<SignIn>): Promise<SignIn> {
  try {
    const signIn = await outcome;
    await page(response, 200, 'You are signed in. You may close this window.');
    return signIn;
  } catch (error) {
    // Says nothing of the code or the reason: the app shows that.
    await page(response, 400, 'The sign-in did not succeed. Please return to the app.');
    throw error;
  }
}

function page(response: ServerResponse, status: number, text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('close', resolve);
  response.writeHead(status, pageHeaders).end(`${text}\n`, () => resolve());
  return promise;
}
