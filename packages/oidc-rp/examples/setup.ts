import { PendingCookies, RelyingParty } from '../src/index.ts';

export const relyingParty = new RelyingParty({
  issuer: 'https://op.example.org',
  clientId: 'notes',
  clientAuthentication: { method: 'client_secret_basic', secret: process.env.OP_SECRET ?? '' },
  redirectUri: 'https://notes.example.org/callback',
  scopes: ['openid', 'email'],
});

// 32 random bytes, the same in all processes: openssl rand -base64 32
export const cookies = new PendingCookies({ keys: [Buffer.from(process.env.COOKIE_KEY ?? '', 'base64')] });
