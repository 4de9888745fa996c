/// <reference path="../../src/bridge/oidc-provider.d.ts" />
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { serve, type TestServer } from './servers.ts';

export interface Person {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  groups?: string[];
}

export interface OpenIdProvider extends TestServer {
  readonly issuer: string;
  readonly people: Map<string, Person>;
  /** What went wrong inside, for a test that fails. */
  readonly errors: string[];
  /** The session (`sid`) that the newest ID Token of a person names. */
  readonly sids: Map<string, string>;
  /** Pages of its origin that the tests write, by path. */
  readonly pages: Map<string, string>;
  /** Requests that came, as `METHOD /path`. */
  readonly requests: string[];
}

export const clientSecret = 'a client secret of the tests';

/** Registers a gate at the provider, with every way of logout. */
export function clientOf(gateOrigin: string, id: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    client_id: `gate-${new URL(gateOrigin).port}`,
    client_secret: clientSecret,
    redirect_uris: [`${gateOrigin}/gate/${id}/callback`],
    post_logout_redirect_uris: [`${gateOrigin}/gate/signed-out`],
    backchannel_logout_uri: `${gateOrigin}/gate/${id}/backchannel-logout`,
    backchannel_logout_session_required: true,
    grant_types: ['authorization_code', 'refresh_token'],
    ...more,
  };
}

/** The provider of a gate's configuration. */
export function providerOf(
  gateOrigin: string,
  issuer: string,
  id: string,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    id,
    protocol: 'oidc',
    name: 'Corp',
    issuer,
    clientId: `gate-${new URL(gateOrigin).port}`,
    clientSecret: { env: 'CLIENT_SECRET' },
    scopes: ['openid', 'email', 'profile', 'groups'],
    ...more,
  };
}

/** A certified provider, oidc-provider, with its own pages to sign in. */
export async function startOpenIdProvider(
  clients: readonly object[],
  extra: Record<string, unknown> = {},
  port = 0,
): Promise<OpenIdProvider> {
  let handle: import('node:http').RequestListener = (_request, response) => void response.writeHead(503).end();
  const requests: string[] = [];
  const pages = new Map<string, string>();
  const server = await serve((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    const page = pages.get(request.url ?? '');
    if (page !== undefined) return void response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    // It takes sign-outs by GET only unless its cookies are fit for cross-site POSTs, which needs https.
    if (request.method === 'POST' && request.url === '/session/end') postedSignOut(request, () => handle(request, response));
    else handle(request, response);
  }, port);
  const people = new Map<string, Person>();
  const errors: string[] = [];
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(server.origin, {
    clients,
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'one' }] },
    cookies: { keys: ['a key for the cookies of this test provider'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'offline_access', 'email', 'profile', 'groups'],
    pkce: { required: () => true },
    // The provider's own guard refuses loopback addresses, where the back channel of these tests ends.
    fetch: (url: string, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) => globalThis.fetch(url, options),
    ttl: {
      AccessToken: 300,
      AuthorizationCode: 60,
      IdToken: 300,
      RefreshToken: 3600,
      Interaction: 300,
      Session: 3600,
      Grant: 3600,
    },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@example.org`,
        email_verified: true,
        name: `Person ${id}`,
        groups: [],
        ...people.get(id),
      }),
    }),
    features: {
      devInteractions: { enabled: true },
      backchannelLogout: { enabled: true },
      revocation: { enabled: true },
      introspection: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    ...extra,
  });
  for (const event of ['server_error', 'backchannel.error', 'grant.error', 'authorization.error'])
    provider.on(event, (_context, error) => errors.push(`${event}: ${error} ${(error as Error).cause ?? ''}`));
  const sids = new Map<string, string>();
  provider.on('grant.success', context => {
    const { entities } = (
      context as unknown as { oidc: { entities: { AuthorizationCode?: { accountId: string; sid?: string } } } }
    ).oidc;
    const code = entities.AuthorizationCode;
    if (code?.sid) sids.set(code.accountId, code.sid);
  });
  handle = provider.callback();
  return Object.assign(server, { issuer: server.origin, people, errors, sids, pages, requests });
}

function postedSignOut(request: import('node:http').IncomingMessage, go: () => void): void {
  let body = '';
  request.on('data', chunk => {
    body += chunk;
  });
  request.on('end', () => {
    request.method = 'GET';
    request.url = `${request.url}?${body}`;
    go();
  });
}
