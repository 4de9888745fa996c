import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { answerWithoutEnd, serve, type TestServer } from './servers.ts';

export interface SmallProvider extends TestServer {
  readonly issuer: string;
  /** Signs a JWT with the provider's key. */
  sign(claims: JWTPayload, header?: { typ?: string; kid?: string }, key?: CryptoKey): Promise<string>;
  /** What the next answers are; change it to change the provider's mind. */
  readonly answers: {
    introspection: Record<string, unknown>;
    /** An answer of introspection waits for this. */
    introspectionWaitsFor: Promise<void> | undefined;
    token: (form: URLSearchParams) => Promise<{ status: number; body: unknown }>;
    userInfo: Record<string, unknown>;
    userInfoStatus: number;
    /** An answer of discovery waits for this. */
    discoveryWaitsFor: Promise<void> | undefined;
    /** Whether discovery names an address for signing out. */
    hasSignOut: boolean;
    /** Whether discovery names an address for revoking tokens, and how it answers. */
    revocationStatus: number | undefined;
    /** An answer of revocation waits for this. */
    revocationWaitsFor: Promise<void> | undefined;
    isDown: boolean;
    isKeySetDown: boolean;
    /** The path where the provider asks us to come later. */
    busy: { readonly path: string; readonly status: number; readonly retryAfter: string } | undefined;
    /** The path that is answered without an end. */
    endless: string | undefined;
  };
  /** Octets of the last endless answer that went into its connection. */
  endlessBytes(): number;
  readonly requests: string[];
  /** The tokens that introspection was asked about. */
  readonly introspected: string[];
  /** What was to be revoked: each token, and its kind. */
  readonly revoked: (readonly [token: string | null, kind: string | null])[];
  /** Signs with a new key from now on; the old one is gone. */
  rotate(): Promise<void>;
}

/** A provider whose every answer a test can choose: discovery, keys, token, UserInfo and introspection. */
export async function startSmallProvider(port = 0): Promise<SmallProvider> {
  let made = 0;
  let key: CryptoKey;
  let jwks: object;
  const rotate = async () => {
    const pair = await generateKeyPair('RS256', { extractable: true });
    made += 1;
    key = pair.privateKey;
    jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), alg: 'RS256', use: 'sig', kid: `key-${made}` }] };
  };
  await rotate();
  const requests: string[] = [];
  const introspected: string[] = [];
  const revoked: SmallProvider['revoked'] = [];
  const answers: SmallProvider['answers'] = {
    introspection: { active: false },
    introspectionWaitsFor: undefined,
    token: async () => ({ status: 400, body: { error: 'invalid_grant' } }),
    userInfo: {},
    userInfoStatus: 200,
    discoveryWaitsFor: undefined,
    hasSignOut: false,
    revocationStatus: undefined,
    revocationWaitsFor: undefined,
    isDown: false,
    isKeySetDown: false,
    busy: undefined,
    endless: undefined,
  };
  let endlessBytes = () => 0;
  const server = await serve(async (request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    requests.push(path);
    let text = '';
    for await (const chunk of request) text += chunk;
    const say = (value: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (answers.isDown || (answers.isKeySetDown && path === '/jwks')) {
      response.destroy();
      return;
    }
    if (answers.busy?.path === path) {
      response.writeHead(answers.busy.status, { 'retry-after': answers.busy.retryAfter }).end();
      return;
    }
    if (answers.endless === path) {
      endlessBytes = answerWithoutEnd(response);
      return;
    }
    const at = `http://${request.headers.host}`;
    if (path === '/.well-known/openid-configuration') {
      await answers.discoveryWaitsFor;
      say({
        issuer: at,
        authorization_endpoint: `${at}/authorize`,
        token_endpoint: `${at}/token`,
        userinfo_endpoint: `${at}/userinfo`,
        introspection_endpoint: `${at}/introspect`,
        jwks_uri: `${at}/jwks`,
        ...(answers.hasSignOut ? { end_session_endpoint: `${at}/end` } : {}),
        ...(answers.revocationStatus === undefined ? {} : { revocation_endpoint: `${at}/revoke` }),
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    } else if (path === '/jwks') say(jwks);
    else if (path === '/introspect') {
      introspected.push(new URLSearchParams(text).get('token') ?? '');
      await answers.introspectionWaitsFor;
      say(answers.introspection);
    } else if (path === '/revoke') {
      const form = new URLSearchParams(text);
      revoked.push([form.get('token'), form.get('token_type_hint')]);
      await answers.revocationWaitsFor;
      say({}, answers.revocationStatus);
    } else if (path === '/userinfo') say(answers.userInfo, answers.userInfoStatus);
    else if (path === '/token') {
      const { status, body } = await answers.token(new URLSearchParams(text));
      say(body, status);
    } else say({}, 404);
  }, port);
  return Object.assign(server, {
    issuer: server.origin,
    answers,
    requests,
    introspected,
    revoked,
    endlessBytes: () => endlessBytes(),
    rotate,
    sign: (claims: JWTPayload, header: { typ?: string; kid?: string } = {}, other?: CryptoKey) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: `key-${made}`, ...header }).sign(other ?? key),
  });
}

/** How a gate is told of it. */
export function corpProvider({ issuer }: SmallProvider, more: object = {}) {
  return {
    id: 'corp',
    protocol: 'oidc',
    name: 'Corp',
    issuer,
    clientId: 'gate',
    clientSecret: { env: 'CLIENT_SECRET' },
    ...more,
  };
}
