import type { RequestListener } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { serve, type TestServer } from './http-server.ts';
import { createOpStorage } from './op-storage.ts';

/** A certified provider in this process, over HTTP, whose keys can be rotated while it runs. */
export interface RealOp extends TestServer {
  issuer: string;
  /** Puts new keys in the place of the old ones: sessions and grants stay. */
  rotateKeys: () => Promise<void>;
  /** Every request that reached it, as `METHOD path`. */
  requests: string[];
  /** What went wrong inside, for a test that fails. */
  errors: string[];
}

export async function startRealOp(clients: object[], extra: Record<string, unknown> = {}): Promise<RealOp> {
  let current: RequestListener = (_request, response) => void response.writeHead(503).end();
  const requests: string[] = [];
  const errors: string[] = [];
  const settings = { adapter: createOpStorage(), ...extra };
  const server = await serve((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    current(request, response);
  });
  const rotateKeys = async () => {
    const provider = new Provider(server.origin, configuration(clients, await signingKeys(), settings));
    registerTokenExchange(provider);
    for (const event of ['server_error', 'backchannel.error', 'grant.error', 'authorization.error']) {
      provider.on(event, (_context, error) => errors.push(`${event}: ${error} ${(error as Error).cause ?? ''}`));
    }
    current = provider.callback();
  };
  await rotateKeys();
  return Object.assign(server, { issuer: server.origin, rotateKeys, requests, errors });
}

// The provider has no token exchange of its own; what a grant of one's own may do is enough for one (RFC 8693).
function registerTokenExchange(provider: InstanceType<typeof Provider>): void {
  const parameters = ['subject_token', 'subject_token_type', 'scope', 'resource', 'requested_token_type'];
  const handler = async (context: ExchangeContext) => {
    const { client, params } = context.oidc;
    const subjectToken = params.subject_token ?? '';
    const found = await provider.AccessToken.find(subjectToken);
    const subject = found ?? (await provider.ClientCredentials.find(subjectToken));
    if (subject === undefined || params.subject_token_type !== 'urn:ietf:params:oauth:token-type:access_token') {
      context.status = 400;
      context.body = { error: 'invalid_request', error_description: 'subject token unknown' };
      return;
    }
    const token = new provider.ClientCredentials({ client, scope: params.scope ?? subject.scope });
    context.body = {
      access_token: await token.save(60),
      issued_token_type: params.subject_token_type,
      token_type: 'Bearer',
      expires_in: 60,
      scope: token.scope,
    };
  };
  provider.registerGrantType('urn:ietf:params:oauth:grant-type:token-exchange', handler, parameters, ['resource']);
}

interface ExchangeContext {
  oidc: { client: object; params: Record<string, string> };
  status: number;
  body: unknown;
}

let made = 0;

async function signingKeys(): Promise<object[]> {
  made += 1;
  const kinds = ['RS256', 'ES256'];
  return Promise.all(
    kinds.map(async alg => {
      const { privateKey } = await generateKeyPair(alg, { extractable: true });
      return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: `${alg}-${made}` };
    }),
  );
}

function configuration(clients: object[], keys: object[], extra: Record<string, unknown>): Record<string, unknown> {
  return {
    clients,
    jwks: { keys },
    cookies: { keys: ['a key for the cookies of this test provider'] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'picture', 'locale'],
      address: ['address'],
      phone: ['phone_number', 'phone_number_verified'],
    },
    scopes: ['openid', 'offline_access', 'email', 'profile', 'address', 'phone'],
    clientBasedCORS: () => true,
    // The provider's own guard refuses loopback addresses, where the back channel of these tests ends.
    fetch: (url: string, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) => globalThis.fetch(url, options),
    pkce: { required: () => true },
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
        name: `Reader ${id}`,
        picture: `https://pictures.example/${id}.png`,
        locale: 'pt-BR',
        address: { formatted: 'Rua Um, 1\nLisboa', locality: 'Lisboa', country: 'PT' },
        phone_number: '+351 210 000 000',
        phone_number_verified: false,
      }),
    }),
    features: {
      devInteractions: { enabled: true },
      backchannelLogout: { enabled: true },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      jwtUserinfo: { enabled: true },
      encryption: { enabled: true },
    },
    ...extra,
  };
}
