import { createHash, randomBytes } from 'node:crypto';
import { RelyingParty, type RelyingPartyOptions } from '../../src/index.ts';
import { forge, keptKey, type SigningKey } from './forge.ts';

type Json = Record<string, unknown>;
type Answer = Json | Response;

/** What the provider may do wrong. Each takes what an honest provider would send and gives what is sent instead. */
export interface Faults {
  metadata?: (document: Json) => Answer;
  jwks?: (set: { keys: Json[] }) => Json | Response;
  callback?: (parameters: URLSearchParams) => void;
  token?: (response: Json, request: URLSearchParams) => Answer;
  userInfo?: (claims: Json) => Answer | Promise<Answer>;
  idTokenHeader?: (header: Json) => Json | string;
  idTokenClaims?: (claims: Json) => Json | string;
  idToken?: (parts: { header: Json; claims: Json; key: SigningKey; op: FakeOp }) => Promise<string> | string;
}

interface Grant {
  nonce: string | null;
  challenge: string | null;
  scope: string;
}

const start = Date.UTC(2027, 0, 1);

/**
 * An OpenID provider that does what it is told: honest by default, wrong in exactly the way that a test asks for. It
 * answers through `fetch` without a socket and counts what it was asked.
 */
export class FakeOp {
  issuer = 'https://op.example';
  clientId = 'notes';
  secret = 'a secret of this client, long enough for HS256';
  subject = 'sub-1';
  faults: Faults = {};
  /** Endpoints that not every provider has, by the end of their path. */
  more: Record<string, (body: URLSearchParams, headers: Headers) => Answer | Promise<Answer>> = {};
  keys: SigningKey[];
  /** Every request that left the relying party, as `METHOD address`. */
  readonly requests: string[] = [];
  readonly bodies: URLSearchParams[] = [];
  readonly headers: Headers[] = [];
  nowMs = start;
  readonly #grants = new Map<string, Grant>();

  private constructor(keys: SigningKey[]) {
    this.keys = keys;
  }

  static async start(alg = 'RS256'): Promise<FakeOp> {
    return new FakeOp([await keptKey('first', alg)]);
  }

  get now(): number {
    return this.nowMs / 1000;
  }

  advance(seconds: number): void {
    this.nowMs += seconds * 1000;
  }

  /** How many requests went to an address that ends so. */
  asked(ending: string): number {
    return this.requests.filter(request => request.endsWith(ending)).length;
  }

  /** Requests to any other host than this provider's: there must be none, ever. */
  get strangers(): string[] {
    return this.requests.filter(request => !request.includes(` ${this.issuer}/`));
  }

  options(changes: Partial<RelyingPartyOptions> = {}): RelyingPartyOptions {
    return {
      issuer: this.issuer,
      clientId: this.clientId,
      clientAuthentication: { method: 'client_secret_basic', secret: this.secret },
      redirectUri: 'https://rp.example/callback',
      // To the second: what the default lets pass is the business of one test.
      clockToleranceSeconds: 0,
      fetch: this.fetch,
      now: () => new Date(this.nowMs),
      ...changes,
    };
  }

  relyingParty(changes: Partial<RelyingPartyOptions> = {}): RelyingParty {
    return new RelyingParty(this.options(changes));
  }

  metadata(): Json {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      jwks_uri: `${this.issuer}/jwks`,
      end_session_endpoint: `${this.issuer}/end-session`,
      revocation_endpoint: `${this.issuer}/revoke`,
      authorization_response_iss_parameter_supported: true,
    };
  }

  /** The person signs in and consents: the address that the browser is sent back to. */
  authorize(url: URL): string {
    const asked = url.searchParams;
    const code = randomBytes(8).toString('hex');
    this.#grants.set(code, {
      nonce: asked.get('nonce'),
      challenge: asked.get('code_challenge'),
      scope: asked.get('scope') ?? '',
    });
    const parameters = new URLSearchParams({ code, state: asked.get('state') ?? '', iss: this.issuer });
    this.faults.callback?.(parameters);
    return `${asked.get('redirect_uri')}?${parameters}`;
  }

  claims(changes: Json = {}): Json {
    const now = Math.floor(this.now);
    return { iss: this.issuer, sub: this.subject, aud: this.clientId, exp: now + 300, iat: now, ...changes };
  }

  /** A token by this provider's current key. */
  async sign(claims: Json | string, header: Json | string = {}): Promise<string> {
    const key = this.keys[0]!;
    return forge(typeof header === 'string' ? header : { alg: key.alg, kid: key.kid, ...header }, claims, key);
  }

  async logoutToken(changes: Json = {}, header: Json = {}): Promise<string> {
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    return this.sign(this.claims({ jti: randomBytes(8).toString('hex'), sid: 'session-1', events, ...changes }), {
      typ: 'logout+jwt',
      ...header,
    });
  }

  readonly fetch = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const request = new Request(address, init);
    this.requests.push(`${request.method} ${address}`);
    this.headers.push(request.headers);
    this.bodies.push(new URLSearchParams(request.method === 'POST' ? await request.text() : ''));
    const answer = await this.#answer(new URL(address).pathname, this.bodies.at(-1)!);
    return answer instanceof Response ? answer : Response.json(answer);
  };

  async #answer(path: string, body: URLSearchParams): Promise<Answer> {
    const extra = Object.keys(this.more).find(ending => path.endsWith(ending));
    if (extra !== undefined) return this.more[extra]!(body, this.headers.at(-1)!);
    if (path.endsWith('/.well-known/openid-configuration')) return this.faults.metadata?.(this.metadata()) ?? this.metadata();
    if (path.endsWith('/jwks')) return this.#jwks();
    if (path.endsWith('/token')) return this.#token(body);
    if (path.endsWith('/userinfo'))
      return (await this.faults.userInfo?.({ sub: this.subject, name: 'Reader' })) ?? { sub: this.subject, name: 'Reader' };
    if (path === '/revoke') return new Response(null, { status: 200 });
    return new Response('not here', { status: 404 });
  }

  #jwks(): Answer {
    const set = { keys: this.keys.map(key => ({ ...key.publicJwk })) };
    return this.faults.jwks?.(set) ?? set;
  }

  async #token(body: URLSearchParams): Promise<Answer> {
    const refresh = body.get('grant_type') === 'refresh_token';
    const grant = refresh ? { nonce: null, challenge: null, scope: 'openid' } : this.#take(body);
    if (grant === undefined) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    const accessToken = `at-${randomBytes(8).toString('hex')}`;
    const response = {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 300,
      refresh_token: `rt-${randomBytes(8).toString('hex')}`,
    };
    const honest = { ...response, id_token: await this.#idToken(grant, accessToken) };
    return this.faults.token?.(honest, body) ?? honest;
  }

  // A code is good for one use, and only with the verifier of its challenge.
  #take(body: URLSearchParams): Grant | undefined {
    const code = body.get('code') ?? '';
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    return grant?.challenge === challenge ? grant : undefined;
  }

  async #idToken(grant: Grant, accessToken: string): Promise<string> {
    const key = this.keys[0]!;
    const header: Json = { alg: key.alg, kid: key.kid };
    const claims = this.claims({
      at_hash: atHash(accessToken, key.alg),
      sid: 'session-1',
      ...(grant.nonce === null ? {} : { nonce: grant.nonce }),
    });
    if (this.faults.idToken !== undefined) return this.faults.idToken({ header, claims, key, op: this });
    return forge(this.faults.idTokenHeader?.(header) ?? header, this.faults.idTokenClaims?.(claims) ?? claims, key);
  }
}

function atHash(accessToken: string, alg: string): string {
  const hash = /^Ed/.test(alg) ? 'sha512' : `sha${alg.slice(2)}`;
  const digest = createHash(hash).update(accessToken).digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}
