import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientAuthentication } from '../client/client-authentication.ts';
import type { RelyingPartyOptions } from '../client/options.ts';
import { randomText, readEnvironment } from '../environment.ts';
import { OidcError } from '../errors.ts';
import { RelyingParty } from '../relying-party.ts';
import type { SignInRequest } from '../sign-in/authorization-request.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import { isSameText } from '../values/same-text.ts';
import { callable, having, may, oneOf, requireShape, that, wholeNumber } from '../values/shape.ts';
import { type LoopbackHost, LoopbackListener } from './loopback-listener.ts';
import { openSystemBrowser } from './open-browser.ts';

/**
 * How a native app signs a person in.
 *
 * @example
 * ```ts
 * const options: LoopbackOptions = { issuer: 'https://op.example.org', clientId: 'desktop', path: '/callback' };
 * ```
 */
export interface LoopbackOptions
  extends Omit<RelyingPartyOptions, 'redirectUri' | 'clientAuthentication' | 'responseMode' | 'applicationType'> {
  /**
   * Default: a public client, as RFC 8252 §8.4 recommends. A few providers, Google among them, give desktop clients a secret and
   * require it, although everybody who has the program has it: it proves nothing; PKCE does.
   */
  clientAuthentication?: ClientAuthentication | undefined;
  /** The parameters of the request to the provider. */
  request?: SignInRequest | undefined;
  /** The address to listen on. Default `127.0.0.1`; `localhost` only if the provider registers nothing else (RFC 8252 §8.3). */
  host?: LoopbackHost | undefined;
  /** The port, for a provider that compares it. Default: chosen by the system. */
  port?: number | undefined;
  /**
   * The path of the redirect URI. Default: random. Providers ignore the port of a registered loopback address (RFC 8252 §7.3),
   * but most compare the path: then give the registered one; the state alone still keeps strangers out.
   */
  path?: string | undefined;
  /** How long the whole sign-in may take, in milliseconds. Default 300,000. */
  timeoutMs?: number | undefined;
  /** Opens the URL; default: the system's browser. Never use an embedded view, which could read the password. */
  openBrowser?: ((url: URL) => Promise<void> | void) | undefined;
}

/** A native app's finished sign-in, and the relying party that made it, for refresh and sign-out. */
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

const path = that('a path that starts with one slash', value => typeof value === 'string' && /^\/(?!\/)[\w./~-]*$/.test(value));
// The last two are called before the relying party has checked them.
const own = {
  host: may(oneOf(['127.0.0.1', '::1', 'localhost'] satisfies LoopbackHost[])),
  port: may(wholeNumber(0, 65_535)),
  path: may(path),
  timeoutMs: may(wholeNumber(1, 86_400_000)),
  openBrowser: may(callable),
  now: may(callable),
  randomBytes: may(callable),
};

/**
 * Signs a person in from a native app (RFC 8252): listens on a loopback address at a port chosen by the system and a random path,
 * opens the browser, accepts the first answer that belongs to this sign-in, and closes. It settles within the timeout, whatever
 * browser and provider do, and leaves no port open.
 *
 * @example
 * ```ts
 * const { signIn } = await signInWithLoopback({ issuer: 'https://op.example.org', clientId: 'desktop', path: '/callback' });
 * ```
 * @throws {@link OidcError} `OIDC_NATIVE_TIMEOUT`, `OIDC_NATIVE_BROWSER`, and those of `RelyingParty`
 */
export async function signInWithLoopback(options: LoopbackOptions): Promise<LoopbackSignIn> {
  requireShape(options, 'options', having({}));
  const { request, host = '127.0.0.1', port = 0, path: given, timeoutMs = 300_000, openBrowser, ...rest } = options;
  const stray = ['redirectUri', 'responseMode', 'applicationType'].find(name => name in rest);
  if (stray !== undefined) {
    const expected = 'no such option: the loopback address determines it';
    throw new OidcError('OIDC_CONFIG_INVALID', { check: `options.${stray}`, expected });
  }
  for (const [name, { check }] of Object.entries(own)) {
    const value = options[name as keyof typeof own];
    if (value !== undefined) requireShape(value, `options.${name}`, check);
  }
  const listener = new LoopbackListener();
  const deadline = within(timeoutMs);
  try {
    const authority = await listener.listen(host, port);
    const address = { authority, path: given ?? `/${randomText(readEnvironment(rest))}` };
    const signedIn = run({ ...rest, request }, host, address, listener, openBrowser ?? openSystemBrowser);
    return await Promise.race([signedIn, deadline.passed]);
  } finally {
    deadline.stop();
    listener.close();
  }
}

async function run(
  { request, ...options }: Omit<LoopbackOptions, 'host' | 'port' | 'path' | 'timeoutMs' | 'openBrowser'>,
  host: LoopbackHost,
  { authority, path }: { authority: string; path: string },
  listener: LoopbackListener,
  openBrowser: (url: URL) => Promise<void> | void,
): Promise<LoopbackSignIn> {
  const relyingParty = new RelyingParty({
    ...options,
    clientAuthentication: options.clientAuthentication ?? { method: 'none' },
    applicationType: 'native',
    redirectUri: `http://${authority}${path}`,
    ...(host === 'localhost' ? { dangerouslyAllowLocalhostRedirect: true } : {}),
  });
  const { url, pending } = await relyingParty.startSignIn(request);
  const callback = listener.first(
    incoming => isCallback(incoming, { authority, path, state: pending.state }),
    response => page(response, 404, 'Page not found.'),
  );
  // Not awaited: an opener that returns late, or never, must not delay the sign-in.
  const { promise: unopened, reject: fail } = Promise.withResolvers<never>();
  opened(openBrowser, url).catch(fail);
  const { address, response } = await Promise.race([callback, unopened]);
  const signIn = await answering(response, relyingParty.finishSignIn(address, pending));
  return { signIn, relyingParty };
}

async function opened(openBrowser: (url: URL) => Promise<void> | void, url: URL): Promise<void> {
  await openBrowser(url);
}

function within(timeoutMs: number): { passed: Promise<never>; stop: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const late = () =>
    reject(new OidcError('OIDC_NATIVE_TIMEOUT', { check: 'native.loopback', expected: `a response within ${timeoutMs} ms` }));
  const timer = setTimeout(late, timeoutMs);
  return { passed: promise, stop: () => clearTimeout(timer) };
}

// Other programs and pages on this machine can reach the port. Comparing the Host header with the literal address refuses names
// that were rebound to it; path and state refuse everyone who does not know this sign-in.
function isCallback(request: IncomingMessage, expected: { authority: string; path: string; state: string }): boolean {
  const { method, headers, url = '' } = request;
  // Only the first `?` ends the path: a provider may leave others bare in the query (RFC 3986 §3.4).
  const at = url.includes('?') ? url.indexOf('?') : url.length;
  if (method !== 'GET' || headers.host !== expected.authority || url.slice(0, at) !== expected.path) return false;
  const states = new URLSearchParams(url.slice(at)).getAll('state');
  return states.length === 1 && isSameText(states[0]!, expected.state);
}

async function answering(response: ServerResponse, outcome: Promise<SignIn>): Promise<SignIn> {
  try {
    const signIn = await outcome;
    await page(response, 200, 'You are signed in. You can close this window.');
    return signIn;
  } catch (error) {
    // Reveals neither the code nor the reason: the app shows that.
    await page(response, 400, 'The sign-in did not succeed. Please return to the app.');
    throw error;
  }
}

/** Sends a page, or notices that nobody will read it: a browser may hang up while the code is redeemed. */
function page(response: ServerResponse, status: number, text: string): Promise<void> {
  if (response.closed || response.destroyed) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('close', resolve);
  response.once('error', () => resolve());
  response.writeHead(status, pageHeaders).end(`${text}\n`, () => resolve());
  return promise;
}
