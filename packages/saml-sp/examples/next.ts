import { type PendingCookies, readReturnTo, type ServiceProvider } from '../src/index.ts';
import { errorResponse, readRequest, send } from '../src/next.ts';
import type { Sessions } from './sessions.ts';

/** Route handlers: export `signIn` as GET of app/sign-in/route.ts, `acs` as POST of app/saml/acs/route.ts, and so on. */
export function createHandlers(sp: ServiceProvider, identityProvider: string, cookies: PendingCookies, sessions: Sessions) {
  const metadata = async () => new Response(sp.metadata(), { headers: { 'content-type': 'application/samlmetadata+xml' } });

  const signIn = async (request: Request) => {
    try {
      const returnTo = readReturnTo(new URL(request.url).searchParams.get('returnTo') ?? '/');
      const started = await sp.startSignIn(identityProvider, { returnTo });
      return send(started.send, cookies.keep(started.pending, request.headers.get('cookie')));
    } catch (error) {
      return errorResponse(error);
    }
  };

  const acs = async (request: Request) => {
    try {
      const incoming = await readRequest(request);
      const { pending, clear } = await cookies.takeSignIn(incoming, request.headers.get('cookie'));
      const identity = await sp.finishSignIn(incoming, pending);
      const session = await sessions.create(identity);
      // Redirect to identity.returnTo here; this answer shows what there is.
      const body = { issuer: identity.issuer, nameId: identity.nameId?.value, returnTo: identity.returnTo };
      return send(Response.json(body), [...clear, ...session]);
    } catch (error) {
      return errorResponse(error);
    }
  };

  return { metadata, signIn, acs };
}
