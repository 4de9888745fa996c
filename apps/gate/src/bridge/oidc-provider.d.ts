// oidc-provider ships no types; these cover what the bridge and the tests use.
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export interface StoredSession {
    readonly uid: string;
    readonly accountId?: string;
    readonly authorizations?: Readonly<Record<string, { sid?: string; grantId?: string }>>;
    sidFor(clientId: string): string | undefined;
    grantIdFor(clientId: string): string | undefined;
    ensureClientContainer(clientId: string): void;
    loginAccount(details: { accountId: string; loginTs: number }): void;
    destroy(): Promise<void>;
  }

  export interface Client {
    readonly clientId: string;
    grantTypeAllowed(type: string): boolean;
    backchannelLogout(subject: string, sid: string): Promise<void>;
  }

  export interface Grant {
    readonly jti: string;
    addOIDCScope(scope: string): void;
    addOIDCClaims(names: readonly string[]): void;
    save(): Promise<string>;
    destroy(): Promise<void>;
  }

  export interface Interaction {
    readonly uid: string;
    /** When it began, seconds since 1970. */
    readonly iat: number;
    readonly prompt: { name: string; reasons: readonly string[]; details: Readonly<Record<string, unknown>> };
    readonly params: Readonly<Record<string, string | undefined>>;
    session?: { uid?: string; accountId: string };
    persist(): Promise<unknown>;
  }

  export interface Ctx {
    readonly req: IncomingMessage;
    readonly path: string;
    type: string;
    body: unknown;
    set(name: string, value: string): void;
    readonly oidc: {
      readonly client: Client;
      readonly session: StoredSession;
      readonly account?: { accountId: string };
      readonly provider: Provider;
      readonly requestParamScopes: ReadonlySet<string>;
      claims: Record<string, Record<string, unknown> | undefined>;
    };
  }

  export interface BareContext {
    readonly req: IncomingMessage;
    readonly oidc?: object;
  }

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    proxy: boolean;
    callback(): RequestListener;
    on(event: string, listener: (...parts: unknown[]) => void): this;
    createContext(request: IncomingMessage, response: ServerResponse): BareContext;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionResult(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options?: { mergeWithLastSubmission?: boolean },
    ): Promise<string>;
    readonly Client: { find(id: string): Promise<Client | undefined> };
    readonly Session: {
      get(context: BareContext): Promise<StoredSession>;
      findByUid(uid: string): Promise<StoredSession | undefined>;
    };
    readonly Grant: {
      new (about: { accountId: string; clientId: string }): Grant;
      find(id: string): Promise<Grant | undefined>;
    };
  }

  export namespace errors {
    class SessionNotFound extends Error {}
    class InvalidGrant extends Error {
      constructor(detail: string);
    }
  }

  export namespace interactionPolicy {
    class Check {
      constructor(
        reason: string,
        description: string,
        error: string,
        check: (ctx: Ctx) => boolean | Promise<boolean>,
        details?: (ctx: Ctx) => object,
      );
      static readonly REQUEST_PROMPT: true;
      static readonly NO_NEED_TO_PROMPT: false;
    }
    class Prompt {
      constructor(info: { name: string; requestable: boolean }, details: (ctx: Ctx) => object, ...checks: Check[]);
      readonly checks: Check[];
    }
    function base(): Prompt[] & { get(name: string): Prompt };
  }
}
