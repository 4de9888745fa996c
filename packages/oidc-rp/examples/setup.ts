import { openStore } from '@octavo/sign-in-store';
import { PendingCookies, RelyingParty } from '../src/index.ts';
import { Sessions } from './sessions.ts';

// What several processes must agree on: SQLite for those of one machine, PostgreSQL for many.
export const store = await openStore(process.env.SIGN_IN_STORE ?? 'sqlite:sign-in.db');
export const sessions = new Sessions(store);

export const relyingParty = new RelyingParty({
  issuer: 'https://op.example.org',
  clientId: 'notes',
  clientAuthentication: { method: 'client_secret_basic', secret: process.env.OP_SECRET ?? '' },
  redirectUri: 'https://notes.example.org/callback',
  scopes: ['openid', 'email'],
  // Callbacks and logout tokens work once, over all processes.
  replayStore: store.replay,
});

// 32 random bytes, the same in all processes: openssl rand -base64 32
export const cookies = new PendingCookies({ keys: [Buffer.from(process.env.COOKIE_KEY ?? '', 'base64')] });
