import { OidcError } from './errors.ts';
import type { IncomingRequest } from './http/incoming-request.ts';
import type { RelyingParty } from './relying-party.ts';
import type { SignInRequest } from './sign-in/authorization-request.ts';
import type { PendingCookies } from './sign-in/pending-cookies.ts';
import type { SignIn } from './sign-in/sign-in.ts';
import { callable, may, members, must, requireShape, that } from './values/shape.ts';

/** The parts needed to sign people in through their browser. */
export interface BrowserSignInOptions {
  relyingParty: Pick<RelyingParty, 'startSignIn' | 'finishSignIn'>;
  cookies: PendingCookies;
  /**
   * Creates a session for a finished sign-in and returns the `Set-Cookie` values for it. When it throws, the person is told to
   * try again later (503): a store that is down is no reason to deny access.
   */
  createSession: (signIn: SignIn, cookieHeader: string | null | undefined) => Promise<readonly string[]> | readonly string[];
  /** Called with every failure, for logging. The error's text is never shown to the person. */
  onError?: ((error: unknown) => void) | undefined;
}

const shape = members<BrowserSignInOptions>({
  relyingParty: must(that('a RelyingParty', value => typeof value === 'object' && value !== null)),
  cookies: must(that('PendingCookies', value => typeof value === 'object' && value !== null)),
  createSession: must(callable),
  onError: may(callable),
});

/**
 * The two routes of a sign-in, the start and the callback, as ready-made responses. Pass in what the framework's entry
 * (`/fastify`, `/express`, `/hono`, `/next`) reads; you get a `Response` back.
 *
 * @example
 * ```ts
 * const signIn = new BrowserSignIn({ relyingParty, cookies, createSession });
 * const start = await signIn.start(request.headers.get('cookie'), { returnTo: '/' });
 * const answer = await signIn.finish(request, request.headers.get('cookie'));
 * ```
 */
export class BrowserSignIn {
  readonly #options: BrowserSignInOptions;

  /** @throws {@link OidcError} `OIDC_CONFIG_INVALID` */
  constructor(options: BrowserSignInOptions) {
    requireShape(options, 'options', shape);
    this.#options = options;
  }

  /** Sends the browser to the provider. */
  async start(cookieHeader: string | null | undefined, request: SignInRequest = {}): Promise<Response> {
    const { relyingParty, cookies } = this.#options;
    try {
      const { url, pending } = await relyingParty.startSignIn(request);
      return redirect(url.href, await cookies.keep(pending, cookieHeader));
    } catch (error) {
      return this.#failure(error, []);
    }
  }

  /** Handles the callback, creates the session and sends the browser where the person wanted to go. */
  async finish(request: IncomingRequest, cookieHeader: string | null | undefined): Promise<Response> {
    const { relyingParty, cookies } = this.#options;
    const { pending, setCookies } = await cookies.take(request, cookieHeader);
    try {
      const signIn = await relyingParty.finishSignIn(request, pending);
      const session = await this.#createSession(signIn, cookieHeader);
      return redirect(signIn.returnTo ?? '/', [...setCookies, ...session]);
    } catch (error) {
      return this.#failure(error, setCookies);
    }
  }

  async #createSession(signIn: SignIn, cookieHeader: string | null | undefined): Promise<readonly string[]> {
    try {
      return await this.#options.createSession(signIn, cookieHeader);
    } catch (cause) {
      throw new OidcError('OIDC_STORE_UNAVAILABLE', { check: 'options.createSession', cause });
    }
  }

  // A failing log must not turn a refusal into a crash, whether it throws at once or later.
  async #tell(error: unknown): Promise<void> {
    try {
      await this.#options.onError?.(error);
    } catch {
      // There is nobody else to tell.
    }
  }

  #failure(error: unknown, setCookies: readonly string[]): Response {
    void this.#tell(error);
    if (!(error instanceof OidcError)) throw error;
    const message =
      error.status === 503 ? 'Sign-in is not possible at the moment. Please try again.' : 'The sign-in did not succeed.';
    const response = Response.json({ code: error.code, message }, { status: error.status, headers });
    for (const cookie of setCookies) response.headers.append('set-cookie', cookie);
    if (error.status === 503) response.headers.set('retry-after', String(error.retryAfterSeconds ?? 5));
    return response;
  }
}

const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

// 303: the next request is a GET, whatever this method was, so a posted callback is not posted again elsewhere.
function redirect(location: string, setCookies: readonly string[]): Response {
  const response = new Response(null, { status: 303, headers: { ...headers, location } });
  for (const cookie of setCookies) response.headers.append('set-cookie', cookie);
  return response;
}
