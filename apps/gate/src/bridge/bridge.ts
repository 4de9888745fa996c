import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SignInStore } from '@octavo/sign-in-store';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { type Ctx, errors, type Interaction, type default as Provider } from 'oidc-provider';
import type { BridgeClientConfig, BridgeConfig, Config } from '../config/config.ts';
import { bridgeCookies } from '../http/cookies.ts';
import { errorFields, type Log } from '../operate/log.ts';
import { urls } from '../urls.ts';
import { accountOf, type BridgeSession, mayUse } from './account.ts';
import { createProvider, grantKind, publicJwkOf } from './provider.ts';
import type { SignOutNotices } from './sign-out-notices.ts';
import { grantGroup, type Seal } from './storage.ts';

export interface BridgeParts {
  readonly store: SignInStore;
  readonly seal: () => Seal;
  readonly now: () => Date;
  readonly log: Log;
  /** Called for each sign-in at an application. */
  readonly onSignedIn: (application: string) => void;
  readonly findSession: (key: string) => Promise<BridgeSession | undefined>;
  readonly renderError: (out: { error: string; description: string | undefined }) => {
    headers: Record<string, string>;
    body: string;
  };
}

/** An application's request to identify the person. */
export interface Asked {
  readonly client: BridgeClientConfig;
  readonly prompt: string;
  /** The session that the browser had when the application asked. */
  readonly sessionThen: string | undefined;
  readonly mustBeFresh: boolean;
  /** The provider must have asked the person after this time, milliseconds since 1970; undefined if only `max_age` is wanted. */
  readonly notBefore: number | undefined;
  readonly maxAgeSeconds: number | undefined;
  readonly provider: string | undefined;
}

interface KeptGrant {
  readonly clientId: string;
  readonly grantId: string;
  readonly account: string;
  readonly sid: string;
}

const sessionKind = 'bridge session of the gate';
/** Names what a session of the gate has given to applications. */
const sessionGroup = (key: string): string => `bridge of ${key}`;

/** Reasons for which an existing session is not enough. */
const freshReasons: ReadonlySet<string> = new Set(['login_prompt', 'select_account_prompt', 'max_age', 'id_token_hint']);

/** The gate as the OpenID provider of the applications behind it. People sign in at the gate; the bridge passes on who they are. */
export class Bridge {
  readonly settings: BridgeConfig;
  readonly #provider: Provider;
  readonly #parts: BridgeParts;
  readonly #issuer: string;
  readonly #host: string;
  readonly #protocol: string;
  readonly #clients: ReadonlyMap<string, BridgeClientConfig>;
  readonly #cookies: ReturnType<typeof bridgeCookies>;
  readonly #keys: ReturnType<typeof createLocalJWKSet>;
  /** The gate's session for each request under way. */
  readonly #current = new WeakMap<IncomingMessage, BridgeSession>();
  readonly #inProgress = new Set<Promise<unknown>>();

  constructor(config: Config, settings: BridgeConfig, parts: BridgeParts) {
    this.settings = settings;
    this.#parts = parts;
    const { host, protocol } = new URL(config.publicUrl);
    this.#host = host;
    this.#protocol = protocol.slice(0, -1);
    this.#issuer = `${config.publicUrl}${urls.bridge}`;
    this.#clients = new Map(settings.clients.map(client => [client.id, client]));
    this.#cookies = bridgeCookies(config.isHttps);
    this.#keys = createLocalJWKSet({ keys: settings.keys.map(({ key, algorithm }) => publicJwkOf(key, algorithm)) as never });
    this.#provider = createProvider(config, settings, {
      records: parts.store.records,
      seal: parts.seal,
      now: parts.now,
      current: ctx => this.#current.get(ctx.req),
      behindGrant: grantId => this.#behindGrant(grantId),
      keepGrant: (ctx, grantId, session) => this.#keepGrant(ctx, grantId, session),
      renderError: (ctx, out) => {
        const shown = parts.renderError({ error: String(out.error), description: out.error_description as string | undefined });
        for (const [name, value] of Object.entries(shown.headers)) ctx.set(name, value);
        ctx.body = shown.body;
      },
    });
    this.#signInFromGate();
    this.#provider.on('authorization.accepted', ctx => {
      const { req, oidc } = ctx as Ctx;
      const { identity } = this.#current.get(req) ?? {};
      const application = oidc.client.clientId;
      parts.log.audit('signed-in-at-application', { application, provider: identity?.provider, subject: identity?.subject });
      parts.onSignedIn(application);
    });
    for (const event of ['server_error', 'grant.error', 'authorization.error'])
      this.#provider.on(event, (...words) => {
        const level = event === 'server_error' ? 'error' : 'warn';
        parts.log[level]('the bridge refused a request', { event, ...errorFields(words.at(-1)) });
      });
  }

  /** Answers a request to one of oidc-provider's own endpoints. */
  async handle(request: IncomingMessage, response: ServerResponse, session: BridgeSession | undefined): Promise<void> {
    this.#prepare(request);
    if (session !== undefined) this.#current.set(request, session);
    await this.#dropOthersSession(request, response, session);
    const url = request.url ?? '/';
    request.url = url.slice(urls.bridge.length) || '/';
    Object.assign(request, { originalUrl: url });
    const closed = new Promise(resolve => response.once('close', resolve));
    this.#provider.callback()(request, response);
    await closed;
  }

  /** Which application asks, and for what; undefined when the interaction is over or began in another browser. */
  async readInteraction(request: IncomingMessage, response: ServerResponse): Promise<Asked | undefined> {
    this.#prepare(request);
    const found = await this.#interaction(request, response);
    const client = found && this.#clients.get(found.params.client_id ?? '');
    if (found === undefined || client === undefined) return undefined;
    const { prompt, params, iat } = found;
    const reasons = prompt.reasons.filter(reason => freshReasons.has(reason));
    return {
      client,
      prompt: prompt.name,
      sessionThen: prompt.details.gateSession as string | undefined,
      mustBeFresh: reasons.length > 0,
      notBefore: reasons.some(reason => reason !== 'max_age') ? iat * 1000 : undefined,
      maxAgeSeconds: params.max_age === undefined ? undefined : Number(params.max_age),
      provider: params.provider,
    };
  }

  mayUse(client: BridgeClientConfig, session: BridgeSession): boolean {
    return mayUse(client.allow, session.identity);
  }

  /** @returns where the browser goes next */
  async finishInteraction(
    request: IncomingMessage,
    response: ServerResponse,
    session: BridgeSession | undefined,
  ): Promise<string> {
    if (session === undefined)
      return this.#provider.interactionResult(
        request,
        response,
        { error: 'access_denied', error_description: 'the person does not have access to this application' },
        { mergeWithLastSubmission: false },
      );
    const account = accountOf(session);
    const found = await this.#interaction(request, response);
    if (found?.session !== undefined) {
      // An earlier session, maybe another person's: applications must not find this sign-in under it.
      delete found.session;
      await found.persist();
    }
    return this.#provider.interactionResult(request, response, {
      login: { accountId: account, ts: Math.floor(session.authenticatedAt.getTime() / 1000) },
      select_account: {},
      consent: {},
    });
  }

  client(id: string | undefined): BridgeClientConfig | undefined {
    return id === undefined ? undefined : this.#clients.get(id);
  }

  /** Reads an ID Token of ours that an application sends as a hint of whom it means; it may have expired. @throws when it is not one */
  async readIdTokenHint(token: string): Promise<{ clientId: string; account: string }> {
    const { payload, protectedHeader } = await jwtVerify(token, this.#keys, { issuer: this.#issuer, currentDate: new Date(0) });
    // A logout token is signed with the same keys, and is less well guarded on its way.
    if (protectedHeader.typ !== undefined && protectedHeader.typ.toUpperCase() !== 'JWT')
      throw new TypeError('not an ID Token that we issued');
    if (typeof payload.aud !== 'string' || typeof payload.sub !== 'string') throw new TypeError('not an ID Token that we issued');
    return { clientId: payload.aud, account: payload.sub };
  }

  isAccountOf(account: string, session: BridgeSession): boolean {
    return accountOf(session) === account;
  }

  /** A person signed in again: what their former session gave to applications stays valid. */
  async moveSession(from: string, to: string): Promise<void> {
    await this.#parts.store.records.moveGroup(sessionGroup(from), sessionGroup(to));
  }

  /** Ends sessions: everything they gave becomes invalid, and each application is told by the channels it registered. */
  async signOut(keys: readonly string[]): Promise<SignOutNotices> {
    const grants = await this.#endAll(keys);
    const silent = await Promise.all(grants.map(grant => this.#tell(grant)));
    return { silent: [...new Set(silent.flatMap(name => name ?? []))], frames: this.#framesFor(grants) };
  }

  /** Like `signOut`, without waiting for it. */
  signOutLater(keys: readonly string[]): void {
    this.#later(this.signOut(keys));
  }

  /** For a page that nobody looks at for long: applications with a back channel are told meanwhile. @returns the frames of the others */
  async signOutInFrame(keys: readonly string[]): Promise<readonly string[]> {
    const grants = await this.#endAll(keys);
    this.#later(Promise.all(grants.map(grant => this.#tell(grant))));
    return this.#framesFor(grants);
  }

  #later(what: Promise<unknown>): void {
    const work: Promise<unknown> = what
      .catch(error => this.#parts.log.error('could not tell applications about a sign-out', errorFields(error)))
      .finally(() => this.#inProgress.delete(work));
    this.#inProgress.add(work);
  }

  async close(): Promise<void> {
    await Promise.all(this.#inProgress);
  }

  /**
   * A person signed in at the gate is signed in at the bridge: oidc-provider's session adopts them before anything reads it, so
   * that `prompt=none` finds them.
   */
  #signInFromGate(): void {
    const { Session } = this.#provider;
    const get = Session.get.bind(Session);
    Session.get = async context => {
      const found = await get(context);
      const session = context.oidc === undefined ? undefined : this.#current.get(context.req);
      if (session !== undefined && found.accountId === undefined)
        found.loginAccount({ accountId: accountOf(session), loginTs: Math.floor(session.authenticatedAt.getTime() / 1000) });
      return found;
    };
  }

  /** @returns what the sessions gave; all of it is invalid before any application is told */
  async #endAll(keys: readonly string[]): Promise<readonly KeptGrant[]> {
    return (await Promise.all(keys.map(key => this.#end(key)))).flat();
  }

  async #end(key: string): Promise<readonly KeptGrant[]> {
    const { records } = this.#parts.store;
    const removed = await records.removeGroup(sessionGroup(key));
    const grants: KeptGrant[] = [];
    for (const { kind, value } of removed) {
      const text = this.#parts.seal().open(value, kind);
      if (text === undefined) continue;
      if (kind === grantKind) grants.push(JSON.parse(text) as KeptGrant);
      else await (await this.#provider.Session.findByUid(JSON.parse(text) as string))?.destroy();
    }
    for (const { grantId } of grants) {
      await records.removeGroup(grantGroup(grantId));
      await (await this.#provider.Grant.find(grantId))?.destroy();
    }
    return grants;
  }

  #framesFor(grants: readonly KeptGrant[]): readonly string[] {
    return grants.flatMap(({ clientId, sid }) => {
      const uri = this.#clients.get(clientId)?.frontChannelLogoutUri;
      if (uri === undefined) return [];
      const url = new URL(uri);
      url.searchParams.set('iss', this.#issuer);
      url.searchParams.set('sid', sid);
      return [url.href];
    });
  }

  /** @returns the application's name when it did not confirm */
  async #tell({ clientId, account, sid }: KeptGrant): Promise<string | undefined> {
    const settings = this.#clients.get(clientId);
    if (settings?.backChannelLogoutUri === undefined) return undefined;
    try {
      const client = await this.#provider.Client.find(clientId);
      await client?.backchannelLogout(account, sid);
      return undefined;
    } catch (error) {
      this.#parts.log.audit('sign-out-unconfirmed', { application: clientId, ...errorFields(error) });
      return settings.name;
    }
  }

  async #behindGrant(grantId: string): Promise<BridgeSession | undefined> {
    const found = await this.#parts.store.records.find(grantKind, grantId);
    const key = found?.group?.slice(sessionGroup('').length);
    return key === undefined ? undefined : this.#parts.findSession(key);
  }

  async #keepGrant(ctx: Ctx, grantId: string, session: BridgeSession): Promise<void> {
    const { client, session: own, account } = ctx.oidc;
    const sid = own.sidFor(client.clientId) ?? '';
    const kept: KeptGrant = { clientId: client.clientId, grantId, account: account?.accountId ?? '', sid };
    await this.#keep(grantKind, grantId, kept, session);
    await this.#keep(sessionKind, own.uid, own.uid, session);
  }

  #keep(kind: string, id: string, value: unknown, session: BridgeSession): Promise<void> {
    return this.#parts.store.records.put({
      kind,
      id,
      group: sessionGroup(session.key),
      value: this.#parts.seal().seal(JSON.stringify(value), kind),
      expiresAt: session.expiresAt,
    });
  }

  /** oidc-provider's session lives and dies with the gate's: a session that stems from another one is dropped. */
  async #dropOthersSession(
    request: IncomingMessage,
    response: ServerResponse,
    session: BridgeSession | undefined,
  ): Promise<void> {
    const { cookie } = request.headers;
    if (cookie === undefined || !cookie.includes(this.#cookies.session)) return;
    const own = await this.#provider.Session.get(this.#provider.createContext(request, response));
    if (own.accountId === undefined) return;
    const kept = await this.#parts.store.records.find(sessionKind, own.uid);
    if (session !== undefined && kept?.group === sessionGroup(session.key)) return;
    const pairs = cookie.split(';').filter(pair => !pair.trim().startsWith(`${this.#cookies.session}=`));
    request.headers.cookie = pairs.join(';');
  }

  async #interaction(request: IncomingMessage, response: ServerResponse): Promise<Interaction | undefined> {
    try {
      return await this.#provider.interactionDetails(request, response);
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return undefined;
      throw error;
    }
  }

  /** Sets the public address, whatever headers came in: discovery, cookies and the issuer depend on it. */
  #prepare(request: IncomingMessage): void {
    for (const name of Object.keys(request.headers)) if (name.startsWith('x-forwarded-')) delete request.headers[name];
    request.headers.host = this.#host;
    request.headers['x-forwarded-proto'] = this.#protocol;
  }
}
