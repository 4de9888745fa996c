import { openStore } from '@octavo/sign-in-store';
import { createApp } from '../../examples/fastify.ts';
import { Sessions } from '../../examples/sessions.ts';
import { PendingCookies, RelyingParty } from '../../src/index.ts';

/** The example for Fastify as a process of its own: `example-process.ts STORE PROVIDER COOKIE-KEY`. It says at which port it listens. */
const [address = '', provider = '', key = ''] = process.argv.slice(2);
const store = await openStore(address);
const relyingParty = new RelyingParty({
  issuer: 'https://op.example',
  clientId: 'notes',
  clientAuthentication: { method: 'client_secret_basic', secret: 'a secret of this client, long enough for HS256' },
  redirectUri: 'https://rp.example/callback',
  replayStore: store.replay,
  // The provider of the test stands on a loopback port.
  fetch: (url, init) => fetch(String(url).replace('https://op.example', provider), init),
});
const cookies = new PendingCookies({ keys: [Buffer.from(key, 'base64')] });
const app = createApp(relyingParty, cookies, new Sessions(store));
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
