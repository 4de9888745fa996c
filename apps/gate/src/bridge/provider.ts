import { createHash, createPublicKey, hkdfSync } from 'node:crypto';
import type { RecordStore } from '@octavo/sign-in-store';
import { type Ctx, interactionPolicy, default as Provider } from 'oidc-provider';
import type { BridgeClientConfig, BridgeConfig, Config } from '../config/config.ts';
import { bridgeCookies } from '../http/cookies.ts';
import { urls } from '../urls.ts';
import { accountOf, type BridgeSession, claimNames, claimsOf, mayUse } from './account.ts';
import { createStorage, type Seal } from './storage.ts';

export interface ProviderParts {
  readonly records: RecordStore;
  readonly seal: () => Seal;
  readonly now: () => Date;
  /** The gate's session in the browser that sent this request. */
  readonly current: (ctx: Ctx) => BridgeSession | undefined;
  /** The session that a grant was given for, while it lives. */
  readonly behindGrant: (grantId: string) => Promise<BridgeSession | undefined>;
  /** Notes which session a grant was given for. */
  readonly keepGrant: (ctx: Ctx, grantId: string, session: BridgeSession) => Promise<void>;
  readonly renderError: (ctx: Ctx, out: Record<string, unknown>) => void;
}

export const grantKind = 'bridge application';

/** oidc-provider as the bridge runs it: authorization code with PKCE, for applications that an administrator registered. */
export function createProvider(config: Config, settings: BridgeConfig, parts: ProviderParts): Provider {
  const clients = new Map(settings.clients.map(client => [client.id, client]));
  const provider = new Provider(`${config.publicUrl}${urls.bridge}`, {
    adapter: createStorage(parts.records, parts.seal, parts.now),
    clients: settings.clients.map(metadataOf),
    jwks: {
      keys: settings.keys.map(({ key, algorithm }) => ({ ...key.export({ format: 'jwk' }), ...publicJwkOf(key, algorithm) })),
    },
    routes: {
      authorization: '/auth',
      token: '/token',
      userinfo: '/me',
      jwks: '/jwks',
      revocation: '/token/revocation',
      introspection: '/token/introspection',
      end_session: '/session/end',
    },
    cookies: {
      keys: config.session.keys.map(key =>
        Buffer.from(hkdfSync('sha256', key, 'octavo-gate', 'bridge cookies v1', 32)).toString('hex'),
      ),
      names: bridgeCookies(config.isHttps),
      long: { signed: true, httpOnly: true, sameSite: 'lax', path: '/', secure: config.isHttps },
      short: { signed: true, httpOnly: true, sameSite: 'lax', secure: config.isHttps },
    },
    scopes: ['openid', 'offline_access', 'email', 'profile', 'groups'],
    claims: claimNames(settings),
    conformIdTokenClaims: !settings.claimsInIdToken,
    responseTypes: ['code'],
    allowOmittingSingleRegisteredRedirectUri: false,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    pkce: { required: (_ctx: Ctx, client: { clientId: string }) => clients.get(client.clientId)?.isPkceRequired !== false },
    extraParams: ['provider'],
    subjectTypes: ['public'],
    enabledJWA: { idTokenSigningAlgValues: [...new Set(settings.keys.map(key => key.algorithm))] },
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx: Ctx, client: { grantTypeAllowed(type: string): boolean }, source: { scopes: Set<string> }) =>
      client.grantTypeAllowed('refresh_token') && source.scopes.has('offline_access'),
    expiresWithSession: () => true,
    ttl: {
      AccessToken: settings.accessTokenSeconds,
      AuthorizationCode: 60,
      IdToken: 600,
      Interaction: 900,
      // None of these outlives the session behind it, which is looked up at each use.
      Grant: config.session.lifetimeSeconds,
      RefreshToken: config.session.lifetimeSeconds,
      Session: config.session.lifetimeSeconds,
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: true },
      introspection: { enabled: true, allowedPolicy: allowIntrospection },
      revocation: { enabled: true },
      backchannelLogout: { enabled: true },
      // The gate has its own: it also signs out at the person's provider.
      rpInitiatedLogout: { enabled: false },
    },
    discovery: {
      end_session_endpoint: `${config.publicUrl}${urls.bridgeEndSession}`,
      frontchannel_logout_supported: true,
      frontchannel_logout_session_supported: true,
    },
    // These addresses come from the configuration: an administrator may well name a server on their own network.
    fetch: (url: string, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) => fetch(url, options),
    // A private-use address has the origin "null", and so have all pages in a sandbox.
    clientBasedCORS: (_ctx: Ctx, origin: string, client: { clientId: string }) =>
      origin !== 'null' && (clients.get(client.clientId)?.redirectUris.some(uri => URL.parse(uri)?.origin === origin) ?? false),
    interactions: {
      policy: policyOf(clients, parts),
      url: (_ctx: Ctx, { uid }: { uid: string }) => urls.bridgeInteraction(uid),
    },
    loadExistingGrant: (ctx: Ctx) => loadGrant(ctx, parts),
    findAccount: async (ctx: Ctx, account: string, token?: { grantId?: string }) => {
      const session = token === undefined ? parts.current(ctx) : await parts.behindGrant(token.grantId ?? '');
      if (session === undefined || accountOf(session) !== account) return undefined;
      const client = clients.get(ctx.oidc.client.clientId);
      // A person who lost a group keeps nothing that was granted for it.
      if (token !== undefined && (client === undefined || !mayUse(client.allow, session.identity))) return undefined;
      return { accountId: account, claims: () => claimsOf(account, session.identity, settings) };
    },
    renderError: parts.renderError,
  });
  // The gate decides which proxies to trust, once, and rewrites these headers.
  provider.proxy = true;
  return provider;
}

function metadataOf(client: BridgeClientConfig): Record<string, unknown> {
  const { authentication } = client;
  const isRefreshed = client.scopes.includes('offline_access');
  return {
    client_id: client.id,
    client_name: client.name,
    ...(authentication.method === 'none' ? {} : { client_secret: authentication.secret }),
    token_endpoint_auth_method: authentication.method,
    application_type: client.kind,
    redirect_uris: [...client.redirectUris],
    response_types: ['code'],
    grant_types: isRefreshed ? ['authorization_code', 'refresh_token'] : ['authorization_code'],
    scope: ['openid', ...client.scopes].join(' '),
    id_token_signed_response_alg: client.idTokenAlgorithm,
    require_auth_time: true,
    ...(client.backChannelLogoutUri === undefined
      ? {}
      : { backchannel_logout_uri: client.backChannelLogoutUri, backchannel_logout_session_required: true }),
  };
}

export function publicJwkOf(key: BridgeConfig['keys'][number]['key'], alg: string): Record<string, unknown> {
  const { kty, crv, x, y, n, e } = createPublicKey(key).export({ format: 'jwk' });
  // RFC 7638 wants exactly these members, in this order.
  const members = kty === 'RSA' ? { e, kty, n } : kty === 'EC' ? { crv, kty, x, y } : { crv, kty, x };
  const kid = createHash('sha256').update(JSON.stringify(members)).digest('base64url');
  return { ...members, alg, use: 'sig', kid };
}

/** RFC 7662 §4: an application learns about its own tokens only. */
function allowIntrospection(
  _ctx: Ctx,
  client: { clientId: string; clientAuthMethod: string },
  token: { clientId: string },
): boolean {
  return client.clientAuthMethod !== 'none' && token.clientId === client.clientId;
}

function policyOf(clients: ReadonlyMap<string, BridgeClientConfig>, { current }: ProviderParts) {
  const { Check, Prompt, base } = interactionPolicy;
  const policy = base();
  const login = policy.get('login');
  const details = (ctx: Ctx) => ({ gateSession: current(ctx)?.key });
  const refused = new Check('not_allowed', 'the person does not have access to this application', 'access_denied', ctx => {
    const session = current(ctx);
    const client = clients.get(ctx.oidc.client.clientId);
    return session !== undefined && client !== undefined && !mayUse(client.allow, session.identity);
  });
  const gone = new Check(
    'gate_session',
    'the session at the gate has ended',
    'login_required',
    ctx => current(ctx) === undefined,
  );
  const signIn = new Prompt({ name: 'login', requestable: true }, details, ...login.checks.slice(1), gone, refused);
  const choose = new Prompt({ name: 'select_account', requestable: true }, details);
  // An administrator registered the application, so we do not ask for consent; a client that insists on the prompt still gets its answer.
  const consent = new Prompt({ name: 'consent', requestable: true }, details);
  return [signIn, choose, consent];
}

/** The grant for what is requested, one per session and application. */
async function loadGrant(ctx: Ctx, parts: ProviderParts): Promise<unknown> {
  const { client, session, provider, account, requestParamScopes } = ctx.oidc;
  const here = parts.current(ctx);
  if (here === undefined || account === undefined) return undefined;
  // The ID Token carries `sid` for every application, also for those that are signed out through the browser.
  ctx.oidc.claims.id_token = { ...ctx.oidc.claims.id_token, sid: null };
  session.ensureClientContainer(client.clientId);
  const known = session.grantIdFor(client.clientId);
  const isOurs = known !== undefined && (await parts.behindGrant(known))?.key === here.key;
  const grant =
    (isOurs ? await provider.Grant.find(known) : undefined) ??
    new provider.Grant({ accountId: account.accountId, clientId: client.clientId });
  for (const scope of requestParamScopes) grant.addOIDCScope(scope);
  const grantId = await grant.save();
  await parts.keepGrant(ctx, grantId, here);
  return grant;
}
