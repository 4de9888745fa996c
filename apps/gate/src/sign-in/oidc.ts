import {
  type BackChannelLogout,
  endsSession,
  frontChannelLogoutHeaders,
  OidcError,
  type Refreshable,
  RelyingParty,
  type RelyingPartyOptions,
  type SignIn,
} from '@octavo/oidc-rp';
import type { OidcProviderConfig } from '../config/config.ts';
import { claimOf, isObject, leadsInto, readClaim } from '../model/claim-path.ts';
import { readEmail } from '../model/email.ts';
import type { Identity } from '../model/identity.ts';
import { urls } from '../urls.ts';
import {
  type Door,
  type Failure,
  type ProviderLogout,
  type Received,
  type SignedIn,
  type Started,
  type StartOptions,
  UnfinishedSignIn,
} from './door.ts';

/** The parts of the gate that a door needs. */
export interface OidcParts {
  readonly publicUrl: string;
  readonly replayStore: NonNullable<RelyingPartyOptions['replayStore']>;
  readonly now: () => Date;
  /** Called when an answer of the UserInfo endpoint cannot be used. */
  readonly onUserInfoError: (provider: string, error: unknown) => void;
}

/** Providers that let people choose an account but do not publish it. Google knows no prompt=login. */
const silentChoosers = /^https:\/\/(?:accounts\.google\.com|login\.microsoftonline\.(?:com|us))(?:\/|$)/;

type Claims = Readonly<Record<string, unknown>>;

interface OidcRecord {
  readonly signIn: Refreshable;
  /** Claims that the UserInfo endpoint has supplied. */
  readonly told?: readonly string[];
}

/** Claims besides those of the ID Token. */
interface More {
  /** Those the UserInfo endpoint supplied just now. */
  readonly more: Claims;
  /** Names of claims that it supplied before: without a new ID Token, only the UserInfo endpoint can take them back. */
  readonly told: readonly string[];
  /** Whether the ID Token is new, too. */
  readonly isNew: boolean;
}

/** One OpenID provider. */
export class OidcDoor implements Door {
  readonly protocol = 'oidc';
  readonly handleParameter = 'state';
  readonly id: string;
  readonly name: string;
  readonly config: OidcProviderConfig;
  readonly #relyingParty: RelyingParty;
  readonly #now: () => Date;
  readonly #onUserInfoError: (error: unknown) => void;

  constructor(config: OidcProviderConfig, { publicUrl, replayStore, now, onUserInfoError }: OidcParts) {
    this.#onUserInfoError = error => onUserInfoError(config.id, error);
    this.config = config;
    this.id = config.id;
    this.name = config.name;
    this.#now = now;
    this.#relyingParty = new RelyingParty({
      issuer: config.issuer,
      clientId: config.clientId,
      clientAuthentication: config.clientAuthentication,
      redirectUri: `${publicUrl}${urls.callback(config.id)}`,
      postLogoutRedirectUri: `${publicUrl}${urls.signedOut}`,
      scopes: config.scopes,
      idTokenAlgorithms: config.idTokenAlgorithms as NonNullable<RelyingPartyOptions['idTokenAlgorithms']>,
      responseMode: config.responseMode,
      frontChannelLogoutSessionRequired: config.frontChannelSessionRequired,
      clockToleranceSeconds: config.clockToleranceSeconds,
      replayStore,
      now,
      // A loopback address cannot be reached from outside: plain http is for demonstrations and tests there.
      dangerouslyAllowLoopbackHttp:
        /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d+)?(?:\/|$)/.test(config.issuer) || publicUrl.startsWith('http:'),
      dangerouslyAllowLocalhostRedirect: publicUrl.startsWith('http:'),
    });
  }

  get issuer(): string {
    return this.#relyingParty.issuer;
  }

  get refreshEveryMs(): number {
    return this.config.refreshSeconds * 1000;
  }

  vouchesFor(issuer: string): boolean {
    return issuer === this.config.issuer;
  }

  async startSignIn({ loginHint, fresh = false, another = false }: StartOptions): Promise<Started> {
    const prompt = fresh ? 'login' : another ? promptForAccount(this.config, await this.metadata()) : this.config.prompt;
    // With a maximum age the ID Token must say when the person signed in; without one a provider need not say.
    const maxAgeSeconds = fresh ? 0 : this.config.maxAgeSeconds;
    const { url, pending } = await this.#relyingParty.startSignIn({
      ...(loginHint === undefined ? {} : { loginHint }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(maxAgeSeconds === undefined ? {} : { maxAgeSeconds }),
    });
    return { send: { kind: 'redirect', url: url.href }, handle: pending.state, pending };
  }

  async finishSignIn(received: Received, pending: unknown): Promise<SignedIn> {
    const signIn = await this.#relyingParty.finishSignIn(received, pending as Parameters<RelyingParty['finishSignIn']>[1]);
    const isNew = { told: [], isNew: true };
    const more = await this.#moreClaims(signIn).catch(error => {
      throw new UnfinishedSignIn(this.#signedIn(signIn, { more: {}, ...isNew }), error);
    });
    return this.#signedIn(signIn, { more, ...isNew });
  }

  /**
   * Asks the provider for new tokens and new claims, so that a person who left a group loses the access it gave.
   * @throws whatever the package throws; `isSessionOver` tells whether it ends the session
   */
  async refresh(record: unknown, before: Identity): Promise<SignedIn> {
    const { signIn, told = [] } = record as OidcRecord;
    const renewed = await this.#relyingParty.refresh(signIn);
    const isNew = renewed.tokens.idToken !== signIn.tokens.idToken;
    let more: Claims;
    try {
      more = await this.#moreClaims(renewed);
    } catch (error) {
      // The refresh token may have been replaced and the old one be dead, so it must be kept even when the claims failed. A 401
      // or 403 concerns this access token only. A provider that withdraws access refuses the next refresh, which ends the
      // session.
      this.#onUserInfoError(error);
      return { ...this.#signedIn(renewed, { more: {}, told, isNew }), identity: before };
    }
    return this.#signedIn(renewed, { more, told, isNew });
  }

  async startSignOut(record: unknown): Promise<Started | undefined> {
    const metadata = await this.#relyingParty.metadata();
    if (metadata.end_session_endpoint === undefined) return undefined;
    const { tokens } = (record as OidcRecord).signIn;
    const { url, post, pending } = await this.#relyingParty.startSignOut({ idTokenHint: tokens.idToken });
    const send: Started['send'] =
      this.config.signOutMethod === 'post'
        ? { kind: 'post', url: post.action.href, fields: post.fields }
        : { kind: 'redirect', url: url.href };
    return { send, handle: pending.state, pending };
  }

  async readSignOutReturn(url: string, pending: unknown): Promise<boolean> {
    const found = await this.#relyingParty.finishSignOut(
      { method: 'GET', url },
      pending as Parameters<RelyingParty['finishSignOut']>[1],
    );
    return found.state === 'matched';
  }

  async answerBackChannelLogout(received: Received, end: (logout: ProviderLogout) => Promise<void>): Promise<Response> {
    return this.#relyingParty.answerBackChannelLogout(received, (logout: BackChannelLogout) =>
      end({
        issuer: logout.issuer,
        subjectKey: logout.subject,
        providerSessions: logout.sid === undefined ? undefined : [logout.sid],
        at: new Date(logout.issuedAt * 1000),
      }),
    );
  }

  /** @returns undefined when the session of this browser's cookie is meant */
  async readFrontChannelLogout(received: Received): Promise<ProviderLogout | undefined> {
    const logout = await this.#relyingParty.readFrontChannelLogout(received);
    if (logout.kind === 'browser') return undefined;
    return { issuer: logout.issuer, subjectKey: undefined, providerSessions: [logout.sid], at: this.#now(), isUnproven: true };
  }

  get frontChannelHeaders(): Record<string, string> {
    return frontChannelLogoutHeaders(this.issuer);
  }

  toRevoke(record: unknown): unknown {
    const { refreshToken } = (record as OidcRecord).signIn.tokens;
    return refreshToken === undefined ? undefined : { signIn: { tokens: { refreshToken } } };
  }

  /** Revokes the refresh token; a session ends even where the provider cannot do so. */
  async revoke(record: unknown): Promise<boolean> {
    const { refreshToken } = (record as OidcRecord).signIn.tokens;
    if (refreshToken === undefined || (await this.metadata()).revocation_endpoint === undefined) return false;
    await this.#relyingParty.revoke(refreshToken, 'refresh_token');
    return true;
  }

  metadata() {
    return this.#relyingParty.metadata();
  }

  /**
   * The published key for an access token. These and sign-ins share one key set, and one limit on what invented key ids cost the
   * provider.
   * @returns undefined when the token names no key and there are several; throws whatever the package throws
   */
  async findKey(header: { alg?: string; kid?: string }, token: string): Promise<CryptoKey | undefined> {
    const [key, ...more] = await this.#relyingParty.findPublishedKeys(header, token);
    return more.length === 0 ? key : undefined;
  }

  introspect(token: string) {
    return this.#relyingParty.introspect(token, 'access_token');
  }

  close(): void {}

  /** Names of the claims that an identity is made of. */
  get #asked(): string[] {
    const { groupsClaim, claims } = this.config;
    return [...new Set(['email', 'email_verified', 'name', 'preferred_username', groupsClaim, ...claims])];
  }

  /** The claims in use that the UserInfo endpoint has supplied, now or before. */
  #toldBy(more: Claims, before: readonly string[]): string[] {
    const asked = this.#asked;
    const stillAsked = before.filter(claim => asked.some(name => leadsInto(name, claim)));
    return [...new Set([...stillAsked, ...asked.flatMap(name => claimOf(more, name) ?? [])])];
  }

  async #moreClaims(signIn: Refreshable): Promise<Claims> {
    const metadata = await this.#relyingParty.metadata();
    if (!this.config.userInfo || metadata.userinfo_endpoint === undefined) return {};
    try {
      return (await this.#relyingParty.fetchUserInfo(signIn)) as unknown as Claims;
    } catch (error) {
      // OpenID Connect Core §5.3.2: claims about another subject must not be used. The ID Token's claims still count.
      if (!(error instanceof OidcError && error.code === 'OIDC_USERINFO_SUB')) throw error;
      this.#onUserInfoError(error);
      return {};
    }
  }

  #signedIn(signIn: Refreshable | SignIn, { more, told, isNew }: More): SignedIn {
    const claims = signIn.claims as Claims;
    const { identity, tokens } = signIn;
    const known = isNew ? joined(more, claims) : joined(without(claims, told), more);
    return {
      identity: oidcIdentity(this.config, identity, known),
      subjectKey: identity.subject,
      providerSession: typeof claims.sid === 'string' ? claims.sid : undefined,
      signedInAt: new Date(Number(claims.iat) * 1000),
      // The provider may not have asked a person who was signed in there already. If it does not say when it last asked, that counts as long
      // ago, and an application that needs to know makes it ask.
      authenticatedAt: new Date(Number(claims.auth_time ?? 0) * 1000),
      endsAt: undefined,
      refreshAt: tokens.refreshToken === undefined ? undefined : this.#now().getTime() + this.refreshEveryMs,
      record: {
        signIn: { identity, claims: signIn.claims, tokens },
        told: this.#toldBy(more, told),
      } satisfies OidcRecord,
    };
  }
}

/**
 * Merges two sources, of which the later one wins. `email_verified` only applies to the address beside it: an ID Token may name
 * an address that people enter themselves, while the UserInfo endpoint vouches for another one.
 */
function joined(earlier: Claims, later: Claims): Claims {
  const isOther = later.email !== undefined && later.email !== earlier.email;
  const base = isOther ? without(earlier, ['email', 'email_verified']) : earlier;
  return { ...base, ...(later.email === undefined && earlier.email !== undefined ? without(later, ['email_verified']) : later) };
}

function without(claims: Claims, names: readonly string[]): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)));
}

/**
 * What lets a person choose another account. Signing in again does, too, but asks more, and Google knows no `prompt=login`. A
 * provider that does not know `select_account` may ignore it and return the same account.
 */
export function promptForAccount(
  { issuer, prompt }: Pick<OidcProviderConfig, 'issuer' | 'prompt'>,
  { prompt_values_supported: known }: Readonly<Record<string, unknown>>,
): 'select_account' | 'login' {
  const isKnown = Array.isArray(known)
    ? known.includes('select_account')
    : prompt === 'select_account' || silentChoosers.test(issuer);
  return isKnown ? 'select_account' : 'login';
}

/** Reads what rules and headers ask for from claims, all of which are untrusted text. */
export function oidcIdentity(config: OidcProviderConfig, who: { issuer: string; subject: string }, claims: Claims): Identity {
  const email = readEmail(claims.email);
  const isEmailVerified = claims.email_verified === true;
  return {
    provider: config.id,
    issuer: who.issuer,
    subject: who.subject,
    email,
    isEmailTrusted: email !== undefined && (isEmailVerified || config.trustedEmailDomains.includes(email.domain)),
    isEmailVerified,
    name: textOf(claims.name) ?? textOf(claims.preferred_username),
    groups: textsOf(readClaim(claims, config.groupsClaim)),
    claims: Object.fromEntries(config.claims.map(name => [name, textsOf(readClaim(claims, name))])),
  };
}

const maxTexts = 500;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= 256 ? value : undefined;
}

/**
 * Texts of a string, a number, a boolean, or a list of them. Zitadel writes roles as the names of an object, each with the
 * organizations where the person has it: `{ "admin": { "165": "corp.example" } }`. A name with anything else might say that the
 * person does not have it (`{ "admin": false }`). Any other value has nothing that a rule could ask for.
 */
function textsOf(value: unknown): string[] {
  const values = isObject(value) ? Object.keys(value).filter(name => isGrant(value[name])) : value;
  const list = Array.isArray(values) ? values.slice(0, maxTexts) : [values];
  return list.flatMap(one => {
    if (typeof one === 'string') return one.length <= 1024 ? [one] : [];
    return typeof one === 'number' || typeof one === 'boolean' ? [String(one)] : [];
  });
}

function isGrant(value: unknown): boolean {
  if (!isObject(value)) return false;
  const places = Object.values(value);
  return places.length > 0 && places.every(place => typeof place === 'string');
}

/** True when the provider itself said that this session is over; an outage does not say so. */
export function isSessionOver(error: unknown): boolean {
  return endsSession(error);
}

/** True when the session is over, but the provider issued tokens with an answer for another person: they would live on. */
export function hasLeftTokens(error: unknown): boolean {
  return error instanceof OidcError && error.code === 'OIDC_REFRESH_IDENTITY';
}

const staleCodes: ReadonlySet<string> = new Set(['OIDC_CALLBACK_STATE', 'OIDC_PENDING_EXPIRED', 'OIDC_PENDING_USED']);

export function readOidcFailure(error: unknown): Failure | undefined {
  if (!(error instanceof OidcError)) return undefined;
  const { code, status, retryAfterSeconds } = error;
  if (status >= 502 && status <= 504) return { kind: 'outage', code, retryAfterSeconds };
  if (staleCodes.has(code)) return { kind: 'stale', code };
  if (code === 'OIDC_PROVIDER_ERROR')
    return {
      kind:
        error.providerError === 'temporarily_unavailable' || error.providerError === 'server_error'
          ? 'outage'
          : 'refused-by-provider',
      code,
    };
  return { kind: status === 500 ? 'fault' : 'not-accepted', code };
}
