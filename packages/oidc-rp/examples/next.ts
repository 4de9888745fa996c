import { BrowserSignIn, type PendingCookies, type RelyingParty } from '../src/index.ts';
import { readRequest } from '../src/next.ts';
import type { Sessions } from './sessions.ts';

type Handler = (request: Request) => Promise<Response>;

/** What the files `app/<path>/route.ts` export; one of them is `export const { GET, POST } = routes['/callback']`. */
export function createRoutes(
  relyingParty: RelyingParty,
  cookies: PendingCookies,
  sessions: Sessions,
): Record<string, { GET?: Handler; POST?: Handler }> {
  const signIn = new BrowserSignIn({ relyingParty, cookies, createSession: done => sessions.create(done) });
  const finish: Handler = async request => signIn.finish(await readRequest(request), request.headers.get('cookie'));
  return {
    '/sign-in': { GET: request => signIn.start(request.headers.get('cookie'), { returnTo: '/' }) },
    '/callback': { GET: finish, POST: finish },
    '/backchannel-logout': {
      POST: async request => relyingParty.answerBackChannelLogout(await readRequest(request), logout => sessions.end(logout)),
    },
    '/': {
      GET: async request => Response.json({ signedIn: (await sessions.find(request.headers.get('cookie')))?.identity ?? null }),
    },
  };
}
