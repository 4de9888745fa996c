import { openStore } from '@octavo/sign-in-store';
import { createRoutes } from '../../examples/next.ts';
import { Sessions } from '../../examples/sessions.ts';
import { PendingCookies, RelyingParty } from '../../src/index.ts';

const provider = process.env.PROVIDER ?? '';
const store = await openStore('sqlite::memory:');
const relyingParty = new RelyingParty({
  issuer: 'https://op.example',
  clientId: 'notes',
  clientAuthentication: { method: 'client_secret_basic', secret: 'a secret of this client, long enough for HS256' },
  redirectUri: 'https://rp.example/callback',
  responseMode: process.env.RESPONSE_MODE === 'form_post' ? 'form_post' : 'query',
  replayStore: store.replay,
  // The provider of the test stands on a loopback port.
  fetch: (url, init) => fetch(String(url).replace('https://op.example', provider), init),
});
const cookies = new PendingCookies({ keys: [Buffer.from(process.env.COOKIE_KEY ?? '', 'base64')] });

/** The README's example for Next, for the files `app/<path>/route.ts` that `next.long.ts` writes. */
export const routes = createRoutes(relyingParty, cookies, new Sessions(store));
