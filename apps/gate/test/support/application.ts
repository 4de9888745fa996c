import { RelyingParty, type SignIn, type SignInRequest } from '@octavo/oidc-rp';
import { answerWithoutEnd, serve, type TestServer } from './servers.ts';

/** Cookies of one browser, by name; enough for servers on one origin. */
export class Jar {
  readonly cookies = new Map<string, string>();

  get header(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  take(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const isGone = value === '' || /expires=Thu, 01 Jan 1970|max-age=0/i.test(line);
      if (isGone) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/** An application behind the bridge: a relying party of our own package on a server of its own. */
export interface Application extends TestServer {
  readonly relyingParty: RelyingParty;
  /** How often each session of the provider was signed out here, by sid. */
  readonly signedOut: string[];
  /** Addresses of frames that were loaded. */
  readonly frames: string[];
  /** Answers logout tokens with this status instead, or without an end. */
  refuse: number | 'without-end' | undefined;
  /** Octets of an endless answer that went into its connection. */
  endlessBytes(): number;
}

export const applicationSecret = 'a secret of an application behind the bridge';

export async function startApplication(
  issuer: string,
  clientId: string,
  more: { scopes?: string[]; idTokenAlgorithms?: ('RS256' | 'ES256')[] } = {},
): Promise<Application> {
  const signedOut: string[] = [];
  const frames: string[] = [];
  const state: { refuse: Application['refuse']; endlessBytes: () => number; relyingParty: RelyingParty | undefined } = {
    refuse: undefined,
    endlessBytes: () => 0,
    relyingParty: undefined,
  };
  const server = await serve(async (request, response) => {
    const url = request.url ?? '';
    if (url.startsWith('/frame')) {
      frames.push(url);
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>bye</title>');
      return;
    }
    if (url !== '/backchannel') {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>App</title><h1>The application behind</h1>');
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    if (state.refuse === 'without-end') {
      state.endlessBytes = answerWithoutEnd(response, 'text/plain');
      return;
    }
    if (state.refuse !== undefined) return void response.writeHead(state.refuse).end();
    const answer = await (state.relyingParty as RelyingParty).answerBackChannelLogout(
      { method: 'POST', url, contentType: request.headers['content-type'] ?? '', body },
      async logout => void signedOut.push(logout.sid ?? ''),
    );
    response.writeHead(answer.status).end(await answer.text());
  });
  state.relyingParty = new RelyingParty({
    issuer,
    clientId,
    clientAuthentication: { method: 'client_secret_basic', secret: applicationSecret },
    redirectUri: `${server.origin}/callback`,
    postLogoutRedirectUri: `${server.origin}/signed-out`,
    scopes: more.scopes ?? ['openid', 'email', 'profile', 'groups'],
    ...(more.idTokenAlgorithms === undefined ? {} : { idTokenAlgorithms: more.idTokenAlgorithms }),
    dangerouslyAllowLoopbackHttp: true,
  });
  const application = Object.assign(server, {
    signedOut,
    frames,
    relyingParty: state.relyingParty,
    refuse: undefined as Application['refuse'],
    endlessBytes: () => state.endlessBytes(),
  });
  return Object.defineProperty(application, 'refuse', {
    get: () => state.refuse,
    set: (status: Application['refuse']) => {
      state.refuse = status;
    },
  });
}

/** The client of a gate's configuration. */
export function clientFor(application: TestServer, id: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id,
    name: `Application ${id}`,
    secret: { env: 'APPLICATION_SECRET' },
    redirectUris: [`${application.origin}/callback`],
    postLogoutRedirectUris: [`${application.origin}/signed-out`],
    backChannelLogoutUri: `${application.origin}/backchannel`,
    ...more,
  };
}

/** Follows redirects as a browser would, until one leads elsewhere or a page comes. */
export async function follow(start: string, jar: Jar, stopAt: string): Promise<{ url: string; response: Response | undefined }> {
  let url = start;
  for (let hop = 0; hop < 12; hop += 1) {
    if (url.startsWith(stopAt)) return { url, response: undefined };
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: jar.header },
    });
    jar.take(response);
    const location = response.headers.get('location');
    if (location === null) return { url, response };
    url = new URL(location, url).href;
  }
  throw new Error(`too many redirects: ${url}`);
}

/** A whole sign-in at an application, for a browser that is signed in at the gate. */
export async function signInAt(application: Application, jar: Jar, request: SignInRequest = {}): Promise<SignIn> {
  const { url, pending } = await application.relyingParty.startSignIn(request);
  const end = await follow(url.href, jar, `${application.origin}/callback`);
  if (end.response !== undefined) throw new Error(`stopped at ${end.url}: ${end.response.status} ${await end.response.text()}`);
  return application.relyingParty.finishSignIn({ method: 'GET', url: end.url }, pending);
}
