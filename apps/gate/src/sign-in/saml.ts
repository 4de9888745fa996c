import {
  attributeValues,
  MetadataRefresh,
  type NameId,
  type OutgoingMessage,
  type PendingSignIn,
  type PendingSignOut,
  type ReplayStore,
  SamlError,
  type SamlIdentity,
  ServiceProvider,
} from '@octavo/saml-sp';
import type { SamlProviderConfig } from '../config/config.ts';
import { readEmail } from '../model/email.ts';
import type { Identity } from '../model/identity.ts';
import { urls } from '../urls.ts';
import type { Door, Failure, ProviderLogout, Received, Send, SignedIn, Started, StartOptions } from './door.ts';

export interface SamlParts {
  readonly publicUrl: string;
  readonly replayStore: ReplayStore;
  readonly now: () => Date;
  readonly onMetadataError: (provider: string, error: unknown) => void;
}

interface SamlRecord {
  readonly nameId: NameId | undefined;
  readonly sessionIndex: string | undefined;
}

export type SamlLogout =
  | { readonly kind: 'request'; readonly logout: ProviderLogout; answer(outcome: 'complete' | 'partial' | 'failed'): Send }
  | { readonly kind: 'response'; readonly outcome: 'complete' | 'half-done' };

/** One SAML identity provider. Its metadata keeps itself fresh. */
export class SamlDoor implements Door {
  readonly protocol = 'saml';
  readonly handleParameter = 'RelayState';
  readonly id: string;
  readonly name: string;
  readonly config: SamlProviderConfig;
  readonly #directory: MetadataRefresh;
  readonly #serviceProvider: ServiceProvider;
  readonly #now: () => Date;

  constructor(config: SamlProviderConfig, { publicUrl, replayStore, now, onMetadataError }: SamlParts) {
    this.config = config;
    this.id = config.id;
    this.name = config.name;
    this.#now = now;
    const { source, signedBy, refreshSeconds } = config.metadata;
    this.#directory = new MetadataRefresh({
      sources: [{ ...source, policy: config.policy, ...(signedBy.length === 0 ? {} : { signedBy }) }],
      everySeconds: refreshSeconds,
      now,
      onError: error => onMetadataError(config.id, error),
    });
    this.#serviceProvider = new ServiceProvider({
      entityId: `${publicUrl}${urls.metadata(config.id)}`,
      assertionConsumerServiceUrl: `${publicUrl}${urls.acs(config.id)}`,
      ...(config.keys.length === 0 ? {} : { singleLogoutServiceUrl: `${publicUrl}${urls.slo(config.id)}` }),
      signingKeys: config.keys,
      decryptionKeys: config.keys,
      // This door's directory alone: an answer by another provider's IdP finds nobody here.
      identityProviders: this.#directory,
      clockToleranceSeconds: config.clockToleranceSeconds,
      replayStore,
      now,
    });
  }

  /** Reads the metadata; a source that is down now is tried again later. */
  open(): Promise<void> {
    return this.#directory.start();
  }

  refreshMetadata(): Promise<void> {
    return this.#directory.refresh();
  }

  get ourMetadata(): string {
    return this.#serviceProvider.metadata();
  }

  async startSignIn({ fresh = false }: StartOptions): Promise<Started> {
    const { send, pending } = await this.#serviceProvider.startSignIn(await this.#entityId(), {
      forceAuthn: fresh || this.config.forceAuthn,
    });
    return { send: plain(send), handle: pending.relayState, pending };
  }

  async finishSignIn(received: Received, pending: unknown): Promise<SignedIn> {
    const identity = await this.#serviceProvider.finishSignIn(received, pending as PendingSignIn | undefined);
    const { nameId, authentication } = identity;
    if (nameId === undefined) throw new SamlError('SAML_SUBJECT', 'the assertion names nobody: the gate needs a NameID');
    return {
      identity: samlIdentity(this.config, identity, nameId),
      subjectKey: subjectKey(nameId),
      providerSession: authentication?.sessionIndex,
      signedInAt: authentication?.instant ?? this.#now(),
      authenticatedAt: authentication?.instant ?? this.#now(),
      endsAt: authentication?.sessionNotOnOrAfter,
      refreshAt: undefined,
      record: { nameId, sessionIndex: authentication?.sessionIndex } satisfies SamlRecord,
    };
  }

  async startSignOut(record: unknown): Promise<Started | undefined> {
    const { nameId, sessionIndex } = record as SamlRecord;
    const idp = await this.#serviceProvider.getIdentityProvider(await this.#entityId());
    if (nameId === undefined || this.config.keys.length === 0 || idp.singleLogout.length === 0) return undefined;
    const sessionIndexes = sessionIndex === undefined ? [] : [sessionIndex];
    const { send, pending } = await this.#serviceProvider.startSignOut(idp.entityId, { nameId, sessionIndexes });
    return { send: plain(send), handle: pending.relayState, pending };
  }

  async receiveLogout(received: Received, pending: unknown): Promise<SamlLogout> {
    const found = await this.#serviceProvider.receiveLogout(received, pending as PendingSignOut | undefined);
    if (found.kind === 'response') return { kind: 'response', outcome: found.outcome };
    return {
      kind: 'request',
      logout: logoutOf(found.identityProvider, found.nameId, found.sessionIndexes, this.#now()),
      answer: outcome => plain(found.answer(outcome)),
    };
  }

  /** A LogoutRequest straight from the provider's server. @returns whom it ends, and how to answer */
  async receiveSoapLogout(
    received: Received,
  ): Promise<{ logout: ProviderLogout; answer(outcome: 'complete' | 'failed'): string }> {
    const found = await this.#serviceProvider.receiveSoapLogout(received);
    return {
      logout: logoutOf(found.identityProvider, found.nameId, found.sessionIndexes, this.#now()),
      answer: outcome => found.answer(outcome),
    };
  }

  close(): void {
    this.#directory.stop();
  }

  async #entityId(): Promise<string> {
    if (this.config.entityId !== undefined) return this.config.entityId;
    // The provider may have come back since the last try.
    if (this.#directory.list().length === 0) await this.#directory.refresh();
    const [only, ...others] = this.#directory.list();
    if (only === undefined) throw new SamlError('SAML_METADATA_FETCH', 'the metadata of the provider could not be read yet');
    if (others.length > 0)
      throw new SamlError('SAML_UNKNOWN_IDP', 'the metadata describes several providers: entityId must name one');
    return only.entityId;
  }
}

function logoutOf(issuer: string, nameId: NameId, sessionIndexes: readonly string[], at: Date): ProviderLogout {
  return {
    issuer,
    subjectKey: subjectKey(nameId),
    providerSessions: sessionIndexes.length === 0 ? undefined : sessionIndexes,
    at,
  };
}

const unspecified = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';

/** A text for exactly what `isSameNameId` compares. */
function subjectKey({ value, format, nameQualifier, spNameQualifier }: NameId): string {
  return JSON.stringify([value, format ?? unspecified, nameQualifier ?? null, spNameQualifier ?? null]);
}

function samlIdentity(config: SamlProviderConfig, { issuer, attributes }: SamlIdentity, nameId: NameId): Identity {
  const valuesOf = (names: readonly string[]): readonly string[] =>
    names.map(name => attributeValues(attributes, name)).find(values => values.length > 0) ?? [];
  const emails = valuesOf(config.attributes.email);
  // Two addresses: which of them is meant nobody can say.
  const email = emails.length === 1 ? readEmail(emails[0]) : undefined;
  return {
    provider: config.id,
    issuer,
    subject: nameId.value,
    email,
    // SAML has no word for "verified": an address counts only in domains that this provider is trusted for.
    isEmailTrusted: email !== undefined && config.trustedEmailDomains.includes(email.domain),
    name: valuesOf(config.attributes.name)[0],
    groups: valuesOf(config.attributes.groups),
    claims: Object.fromEntries(config.claims.map(name => [name, attributeValues(attributes, name)])),
  };
}

function plain(send: OutgoingMessage): Send {
  return send.kind === 'redirect' ? send : { kind: 'post', url: send.url, fields: send.fields };
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
