import {
  type AssertionToken,
  acceptsEcp,
  attributeValues,
  ecpRelayState,
  findSubjectId,
  MetadataRefresh,
  type NameId,
  type OutgoingMessage,
  type PendingSignIn,
  type PendingSignOut,
  paosContentType,
  type ReceivedSoapLogout,
  type ReplayStore,
  renewToken,
  requestToken,
  revokeToken,
  SamlError,
  type SamlIdentity,
  ServiceProvider,
} from '@octavo/saml-sp';
import type { SamlProviderConfig } from '../config/config.ts';
import { limits } from '../limits.ts';
import { readEmail } from '../model/email.ts';
import { fillHelpAddress, type HelpReason } from '../model/help-address.ts';
import type { Identity } from '../model/identity.ts';
import { urls } from '../urls.ts';
import type { Door, Failure, ProviderLogout, Received, Renewal, Send, SignedIn, Started, StartOptions } from './door.ts';
import { SamlMetadata } from './saml-metadata.ts';
import { subjectKey } from './subject-key.ts';
import { isOver, type KeptToken, keepToken, revocationClientOf, tokenClientOf } from './token-client.ts';

export interface SamlParts {
  readonly publicUrl: string;
  readonly replayStore: ReplayStore;
  readonly now: () => Date;
  readonly onMetadataError: (provider: string, error: unknown) => void;
  readonly onTokenError: (provider: string, error: unknown) => void;
}

interface SamlRecord {
  readonly nameId: NameId | undefined;
  readonly sessionIndex: string | undefined;
  /** The access token that the assertion was exchanged for (RFC 7522). */
  readonly accessToken?: KeptToken;
}

export type SamlLogout =
  | {
      readonly kind: 'request';
      readonly logout: ProviderLogout;
      answer(outcome: 'complete' | 'partial' | 'failed'): Send;
      /** The logout failed: the same request may come again. */
      giveBack(): Promise<void>;
    }
  | { readonly kind: 'response'; readonly outcome: 'complete' | 'half-done' };

/** One SAML identity provider. */
export class SamlDoor implements Door {
  readonly protocol = 'saml';
  readonly handleParameter = 'RelayState';
  readonly id: string;
  readonly name: string;
  readonly config: SamlProviderConfig;
  readonly #metadata: SamlMetadata<MetadataRefresh>;
  #isOpen = false;
  readonly #serviceProvider: ServiceProvider;
  readonly #now: () => Date;
  readonly #onTokenError: (error: unknown) => void;

  /** @param before the door of the configuration that this one replaces */
  constructor(
    config: SamlProviderConfig,
    { publicUrl, replayStore, now, onMetadataError, onTokenError }: SamlParts,
    before?: SamlDoor,
  ) {
    this.#onTokenError = error => onTokenError(config.id, error);
    this.config = config;
    this.id = config.id;
    this.name = config.name;
    this.#now = now;
    const shared = before === undefined ? undefined : before.#metadata.for(config);
    this.#metadata = shared ?? new SamlMetadata(directoryOf(config, now, onMetadataError), config, now);
    this.#serviceProvider = new ServiceProvider({
      entityId: `${publicUrl}${urls.metadata(config.id)}`,
      assertionConsumerServiceUrl: `${publicUrl}${urls.acs(config.id)}`,
      ...(config.keys.length === 0 ? {} : { singleLogoutServiceUrl: `${publicUrl}${urls.slo(config.id)}` }),
      signingKeys: config.keys,
      decryptionKeys: config.keys,
      // Only this door's directory: an answer from another provider's IdP is not accepted here.
      identityProviders: this.#metadata.directory,
      clockToleranceSeconds: config.clockToleranceSeconds,
      replayStore,
      now,
    });
  }

  /** Reads the metadata; a source that is down is tried again later. */
  open(): Promise<void> {
    this.#isOpen = true;
    return this.#metadata.open();
  }

  refreshMetadata(): Promise<void> {
    return this.#metadata.refresh();
  }

  get ourMetadata(): string {
    return this.#serviceProvider.metadata();
  }

  /** As long as no metadata could be read, the issuer counts; metadata that was read and lacks the issuer has dropped it. */
  vouchesFor(issuer: string): boolean {
    const { entityId = issuer } = this.config;
    const { directory } = this.#metadata;
    return issuer === entityId && (directory.find(issuer) !== undefined || directory.list().length === 0);
  }

  helpUrl(reason: HelpReason): string | undefined {
    const { entityId } = this.config;
    const { directory } = this.#metadata;
    const [provider, ...others] = entityId === undefined ? directory.list() : [directory.find(entityId)];
    // With several providers, we cannot tell which is meant.
    const errorUrl = others.length === 0 ? provider?.errorUrl : undefined;
    return errorUrl && fillHelpAddress(errorUrl, { reason, entityId: this.#serviceProvider.entityId, at: this.#now() });
  }

  async startSignIn({ fresh = false, another = false }: StartOptions): Promise<Started> {
    const { send, pending } = await this.#serviceProvider.startSignIn(await this.#entityId(), {
      forceAuthn: fresh || another || this.config.forceAuthn,
    });
    return { send: plain(send), handle: pending.relayState, pending };
  }

  async finishSignIn(received: Received, pending: unknown): Promise<SignedIn> {
    const read = () => this.#serviceProvider.finishSignIn(received, pending as PendingSignIn | undefined);
    return this.#signedIn(await this.#receive(read));
  }

  /** For a client that is not a browser (ECP): the envelope it carries to the provider. */
  async startEcp({ fresh = false }: StartOptions): Promise<Omit<Started, 'send'> & { envelope: string; contentType: string }> {
    const forceAuthn = fresh || this.config.forceAuthn;
    const { envelope, pending } = await this.#serviceProvider.startEcp(await this.#entityId(), { forceAuthn });
    return { envelope, contentType: paosContentType, handle: pending.relayState, pending };
  }

  async finishEcp(received: Received, pending: unknown): Promise<SignedIn> {
    const read = () => this.#serviceProvider.finishEcp(received, pending as PendingSignIn | undefined);
    return this.#signedIn(await this.#receive(read));
  }

  /** Headers that a session of this provider adds for the upstream. */
  upstreamHeaders(record: unknown): [string, string][] {
    const { accessToken } = record as SamlRecord;
    const { tokenExchange } = this.config;
    if (tokenExchange === undefined || accessToken === undefined || isOver(accessToken, this.#now())) return [];
    return [[tokenExchange.header, accessToken.value]];
  }

  /**
   * Renews the token that the assertion was exchanged for. The person is not asked again, since SAML has no way to. A failed
   * renewal is tried again until the token expires; after that the session goes on without it.
   */
  async refresh(record: unknown, identity: Identity): Promise<Renewal> {
    const { accessToken: before, ...rest } = record as SamlRecord;
    const { tokenExchange } = this.config;
    if (before?.refreshToken === undefined || tokenExchange === undefined)
      return { identity, record: rest, refreshAt: undefined };
    try {
      const renewed = await renewToken({ ...tokenClientOf(tokenExchange), refreshToken: before.refreshToken });
      const accessToken = this.#kept({ ...renewed, refreshToken: renewed.refreshToken ?? before.refreshToken });
      return { identity, record: { ...rest, accessToken } satisfies SamlRecord, refreshAt: accessToken.renewAt };
    } catch (error) {
      if ((before.until ?? 0) > this.#now().getTime()) throw error;
      this.#onTokenError(error);
      return { identity, record: rest, refreshAt: undefined };
    }
  }

  toRevoke(record: unknown): unknown {
    const { refreshToken } = (record as SamlRecord).accessToken ?? {};
    const isPossible = this.config.tokenExchange?.revocationEndpoint !== undefined;
    return refreshToken === undefined || !isPossible ? undefined : { accessToken: { refreshToken } };
  }

  /** Revokes what the access token is renewed with; a session ends even where the authorization server cannot do so. */
  async revoke(record: unknown): Promise<boolean> {
    const { refreshToken } = (record as SamlRecord).accessToken ?? {};
    const at = this.config.tokenExchange && revocationClientOf(this.config.tokenExchange);
    if (refreshToken === undefined || at === undefined) return false;
    await revokeToken({ ...at, refreshToken });
    return true;
  }

  async #signedIn(identity: SamlIdentity): Promise<SignedIn> {
    const { nameId, authentication, assertionXml, issuedAt } = identity;
    const subject = await this.#subjectOf(identity);
    const accessToken = assertionXml === undefined ? undefined : await this.#exchange(assertionXml);
    return {
      identity: samlIdentity(this.config, identity, subject.name),
      subjectKey: subject.key,
      providerSession: authentication?.sessionIndex,
      signedInAt: issuedAt,
      authenticatedAt: authentication?.instant ?? this.#now(),
      endsAt: this.#endOf(authentication?.sessionNotOnOrAfter, accessToken),
      refreshAt: accessToken?.renewAt,
      record: {
        nameId,
        sessionIndex: authentication?.sessionIndex,
        ...(accessToken === undefined ? {} : { accessToken }),
      } satisfies SamlRecord,
    };
  }

  /**
   * The person an assertion is about. SAML2Int lets a provider name people by an attribute alone; its logout requests name them
   * by a NameID, so those do not reach such a session.
   */
  async #subjectOf({ nameId, attributes, issuer }: SamlIdentity): Promise<{ name: string; key: string }> {
    if (nameId !== undefined) return { name: nameId.value, key: subjectKey(nameId) };
    const provider = await this.#serviceProvider.getIdentityProvider(issuer);
    for (const kind of ['pairwise-id', 'subject-id'] as const) {
      const name = findSubjectId(attributes, kind, provider);
      // A NameID's key has four parts, so this one cannot be mistaken for one.
      if (name !== undefined) return { name, key: JSON.stringify([kind, name]) };
    }
    throw new SamlError('SAML_SUBJECT', 'the assertion has no NameID, pairwise-id or subject-id');
  }

  /** A token that cannot be renewed may end the session: the next sign-in, at a provider that still knows the person, brings a new one. */
  #endOf(provider: Date | undefined, token: KeptToken | undefined): Date | undefined {
    const isBound = this.config.tokenExchange?.sessionEndsWithToken === true && token?.renewAt === undefined;
    if (!isBound || token?.until === undefined) return provider;
    return new Date(Math.min(token.until, provider?.getTime() ?? token.until));
  }

  /** RFC 7522. The person stays signed in when the token endpoint refuses: the application sees that there is no token. */
  async #exchange(assertionXml: string): Promise<SamlRecord['accessToken']> {
    const { tokenExchange } = this.config;
    if (tokenExchange === undefined) return undefined;
    try {
      return this.#kept(await requestToken({ ...tokenClientOf(tokenExchange), assertionXml }));
    } catch (error) {
      this.#onTokenError(error);
      return undefined;
    }
  }

  #kept(token: AssertionToken): KeptToken {
    if (token.tokenType.toLowerCase() !== 'bearer' || !/^[A-Za-z0-9._~+/=-]{1,8192}$/.test(token.accessToken))
      throw new SamlError('SAML_TOKEN_REQUEST', 'the token does not fit in a header');
    return keepToken(token, this.#now().getTime());
  }

  async startSignOut(record: unknown): Promise<Started | undefined> {
    const { nameId, sessionIndex } = record as SamlRecord;
    const idp = await this.#serviceProvider.getIdentityProvider(await this.#entityId());
    if (nameId === undefined || this.config.keys.length === 0 || idp.singleLogout.length === 0) return undefined;
    const named = { nameId, sessionIndexes: sessionIndex === undefined ? [] : [sessionIndex] };
    const { send, pending } = await this.#serviceProvider.startSignOut(idp.entityId, named);
    return { send: plain(send), handle: pending.relayState, pending };
  }

  async receiveLogout(received: Received, pending: unknown): Promise<SamlLogout> {
    const read = () => this.#serviceProvider.receiveLogout(received, pending as PendingSignOut | undefined);
    const found = await this.#receive(read);
    if (found.kind === 'response') return { kind: 'response', outcome: found.outcome };
    return {
      kind: 'request',
      logout: logoutOf(found),
      answer: outcome => plain(found.answer(outcome)),
      giveBack: () => found.giveBack(),
    };
  }

  /** A LogoutRequest sent directly by the provider's server. @returns whom it signs out, and how to answer */
  async receiveSoapLogout(
    received: Received,
  ): Promise<{ logout: ProviderLogout; answer(outcome: 'complete' | 'failed'): string; giveBack(): Promise<void> }> {
    const found = await this.#receive(() => this.#serviceProvider.receiveSoapLogout(received));
    return { logout: logoutOf(found), answer: outcome => found.answer(outcome), giveBack: () => found.giveBack() };
  }

  close(): void {
    if (this.#isOpen) this.#metadata.close();
    this.#isOpen = false;
  }

  async #entityId(): Promise<string> {
    await this.#requireMetadata();
    if (this.config.entityId !== undefined) return this.config.entityId;
    const [only, ...others] = this.#metadata.directory.list();
    if (only === undefined || others.length > 0)
      throw new SamlError('SAML_UNKNOWN_IDP', 'the metadata describes several providers: set entityId to one of them');
    return only.entityId;
  }

  async #receive<T>(read: () => Promise<T>): Promise<T> {
    await this.#requireMetadata();
    return this.#metadata.withFresh(read);
  }

  /** Without metadata, the provider's own messages look like a stranger's. */
  async #requireMetadata(): Promise<void> {
    if (!(await this.#metadata.isRead()))
      throw new SamlError('SAML_METADATA_FETCH', 'the metadata of the provider has not been read yet');
  }
}

function directoryOf(
  config: SamlProviderConfig,
  now: () => Date,
  onMetadataError: SamlParts['onMetadataError'],
): MetadataRefresh {
  const { source, signedBy, refreshSeconds } = config.metadata;
  return new MetadataRefresh({
    sources: [
      {
        ...source,
        policy: config.policy,
        ...(signedBy.length === 0 ? {} : { signedBy }),
        // A federation's aggregate has up to 100 MB; an impostor of a single provider must not make us read as much.
        ...(config.entityId === undefined && 'url' in source ? { maxBytes: limits.maxSingleMetadataBytes } : {}),
      },
    ],
    everySeconds: refreshSeconds,
    now,
    onError: error => onMetadataError(config.id, error),
  });
}

type Named = Pick<ReceivedSoapLogout, 'identityProvider' | 'nameId' | 'sessionIndexes' | 'issuedAt'>;

/** Uses the provider's clock, as sign-ins do: ours may be ahead of it or behind. */
function logoutOf({ identityProvider, nameId, sessionIndexes, issuedAt }: Named): ProviderLogout {
  return {
    issuer: identityProvider,
    subjectKey: subjectKey(nameId),
    providerSessions: sessionIndexes.length === 0 ? undefined : sessionIndexes,
    at: issuedAt,
  };
}

function samlIdentity(config: SamlProviderConfig, { issuer, attributes }: SamlIdentity, subject: string): Identity {
  const valuesOf = (names: readonly string[]): readonly string[] =>
    names.map(name => attributeValues(attributes, name)).find(values => values.length > 0) ?? [];
  const emails = valuesOf(config.attributes.email);
  // With two addresses, we cannot tell which is meant.
  const email = emails.length === 1 ? readEmail(emails[0]) : undefined;
  return {
    provider: config.id,
    issuer,
    subject,
    email,
    // SAML cannot say "verified": an address counts only in domains that this provider is trusted for.
    isEmailTrusted: email !== undefined && config.trustedEmailDomains.includes(email.domain),
    isEmailVerified: false,
    name: valuesOf(config.attributes.name)[0],
    groups: valuesOf(config.attributes.groups),
    claims: Object.fromEntries(config.claims.map(name => [name, attributeValues(attributes, name)])),
  };
}

function plain(send: OutgoingMessage): Send {
  return send.kind === 'redirect' ? send : { kind: 'post', url: send.url, fields: send.fields };
}

/** Whether the client says that it carries SAML by itself (ECP), which browsers do not. */
export function speaksEcp(headers: { accept?: string | undefined; paos?: string | string[] | undefined }): boolean {
  return typeof headers.paos === 'string' && acceptsEcp({ accept: headers.accept, paos: headers.paos });
}

export function isEcpAnswer(contentType: string | undefined): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === paosContentType;
}

/** The handle of the sign-in that an enhanced client brings back. It is not verified yet. */
export function handleOfEcp(received: Received): Promise<string | undefined> {
  return ecpRelayState(received);
}

const staleCodes: ReadonlySet<string> = new Set([
  'SAML_UNSOLICITED',
  'SAML_RELAY_STATE',
  'SAML_REQUEST_EXPIRED',
  'SAML_REPLAYED',
  'SAML_PENDING_INVALID',
]);
const outageCodes: ReadonlySet<string> = new Set(['SAML_METADATA_FETCH', 'SAML_METADATA_EXPIRED']);

export function readSamlFailure(error: unknown): Failure | undefined {
  if (!(error instanceof SamlError)) return undefined;
  const { code, status } = error;
  if (status === 503 || outageCodes.has(code)) return { kind: 'outage', code };
  if (staleCodes.has(code)) return { kind: 'stale', code };
  if (code === 'SAML_STATUS') return { kind: 'refused-by-provider', code };
  return { kind: status === 500 ? 'fault' : 'not-accepted', code };
}
