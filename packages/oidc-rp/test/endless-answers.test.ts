import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type Refreshable, RelyingParty, type RelyingPartyOptions } from '../src/index.ts';
import { errorOf } from './support/expect-refused.ts';
import { serve } from './support/http-server.ts';

// Every request that leaves the relying party, to a provider (or a server in its place) that answers without an end, or not at all.

const json = { 'content-type': 'application/json' };
const endpoints = {
  authorization_endpoint: '/authorize',
  token_endpoint: '/token',
  userinfo_endpoint: '/userinfo',
  jwks_uri: '/jwks',
  revocation_endpoint: '/revoke',
  introspection_endpoint: '/introspect',
  pushed_authorization_request_endpoint: '/par',
  device_authorization_endpoint: '/device',
};

/** Who is signed in at this provider. */
const signInAt = (issuer: string): Refreshable => ({
  identity: { issuer, subject: 'ada' },
  claims: { iss: issuer, sub: 'ada', aud: 'notes', exp: 2_000_000_000, iat: 1_000_000_000 },
  tokens: { accessToken: 'access', refreshToken: 'refresh', idToken: 'a.b.c', signedIdToken: 'a.b.c', tokenType: 'Bearer' },
});

const header = Buffer.from('{"alg":"RS256","kid":"one"}').toString('base64url');

interface Kind {
  path: string;
  /** How the request is named in errors. */
  subject: string;
  ask: (rp: RelyingParty) => Promise<unknown>;
  options?: Partial<RelyingPartyOptions>;
}

const kinds: Record<string, Kind> = {
  discovery: { path: '/.well-known/openid-configuration', subject: 'discovery', ask: rp => rp.metadata() },
  'the key set': {
    path: '/jwks',
    subject: 'jwks',
    ask: rp => rp.validateIdToken(`${header}.e30.AAAA`, { nonce: undefined }),
  },
  'the code': {
    path: '/token',
    subject: 'token',
    ask: async rp => {
      const { pending } = await rp.startSignIn();
      return rp.finishSignIn({ method: 'GET', url: `https://rp.example/callback?code=x&state=${pending.state}` }, pending);
    },
  },
  'a refresh': {
    path: '/token',
    subject: 'token',
    ask: rp => rp.refresh(signInAt(rp.issuer)),
  },
  'client credentials': { path: '/token', subject: 'token', ask: rp => rp.requestClientCredentials() },
  'an exchange': {
    path: '/token',
    subject: 'token',
    ask: rp => rp.exchangeToken({ subjectToken: 'x', subjectTokenType: 'urn:ietf:params:oauth:token-type:access_token' }),
  },
  UserInfo: { path: '/userinfo', subject: 'userinfo', ask: rp => rp.fetchUserInfo(signInAt(rp.issuer)) },
  introspection: { path: '/introspect', subject: 'introspection', ask: rp => rp.introspect('x') },
  revocation: { path: '/revoke', subject: 'revocation', ask: rp => rp.revoke('x', 'access_token') },
  'a pushed request': {
    path: '/par',
    subject: 'pushed_request',
    ask: rp => rp.startSignIn(),
    options: { pushedAuthorizationRequests: 'always' },
  },
  'a device': { path: '/device', subject: 'device', ask: rp => rp.startDeviceSignIn() },
};

/** What became of asking, and how many octets went into the connections of the provider. */
async function asked({ path, ask, options }: Kind, answer: (response: ServerResponse) => void, requestTimeoutMs: number) {
  const sockets: Socket[] = [];
  await using server = await serve((request, response) => {
    const at = `http://${request.headers.host}`;
    const all = Object.entries(endpoints).map(([name, where]) => [name, at + where]);
    if (request.url === path) answer(response);
    else response.writeHead(200, json).end(JSON.stringify({ issuer: at, ...Object.fromEntries(all) }));
  });
  server.server.on('connection', socket => sockets.push(socket));
  const rp = new RelyingParty({
    issuer: server.origin,
    clientId: 'notes',
    clientAuthentication: { method: 'client_secret_basic', secret: 'a secret' },
    redirectUri: 'https://rp.example/callback',
    dangerouslyAllowLoopbackHttp: true,
    limits: { requestTimeoutMs },
    ...options,
  });
  const error = await errorOf(ask(rp));
  return { error, bytes: () => sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0) };
}

const piece = Buffer.alloc(65_536, ' ');
const flood = (response: ServerResponse) => {
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response
    .writeHead(200, json)
    .on('drain', more)
    .on('error', () => undefined);
  more();
};

describe.each(Object.entries(kinds))('%s', (_name, kind) => {
  test('stops reading an endless answer at the limit', async () => {
    const { error, bytes } = await asked(kind, flood, 30_000);
    expect([error.code, error.check]).toEqual(['OIDC_HTTP_TOO_LARGE', kind.subject]);
    // 1 MiB at most is kept; the rest is what the two ends of a connection hold.
    expect(bytes()).toBeLessThan(16_777_216);
  });
});

// Several at once: they only wait.
describe.concurrent.each(Object.entries(kinds))('%s', (_name, kind) => {
  test('times out if the answer never comes', async () => {
    // The same limit holds for the metadata before it, which a busy machine must get in time.
    const { error } = await asked(kind, () => undefined, 3_000);
    expect([error.code, error.check]).toEqual(['OIDC_HTTP_TIMEOUT', kind.subject]);
  });
});
