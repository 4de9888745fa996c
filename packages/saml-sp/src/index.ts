/**
 * A SAML 2.0 service provider that resists XML signature wrapping. Start with `ServiceProvider` and `readIdpMetadata`.
 * @module @octavo/saml-sp
 */

export { errorResponse } from './adapter.ts';
export type { AssertionFacts } from './assertion/assertion.ts';
export { attributeValues, type SamlAttribute } from './assertion/attributes.ts';
export type { Authentication } from './assertion/authn-statement.ts';
export { commonAttributes, type Person, readPerson } from './assertion/person.ts';
export { isSameNameId, type NameId } from './assertion/subject.ts';
export { findSubjectId } from './assertion/subject-id.ts';
export { type OutgoingMessage, toResponse } from './bindings/http-message.ts';
export type { IncomingRequest } from './bindings/incoming-request.ts';
export { SamlError, type SamlErrorCode, type SamlStatus, samlErrors } from './errors.ts';
export {
  directoryOf,
  type Endpoint,
  type IdentityProvider,
  type IdentityProviderDirectory,
  type IdentityProviderPolicy,
  strictPolicy,
} from './idp/identity-provider.ts';
export { type IdpMetadataOptions, readIdpMetadata } from './idp/idp-metadata.ts';
export { readLargeMetadata } from './idp/large-metadata.ts';
export type { ProviderDisplay } from './idp/metadata-display.ts';
export { MetadataQuery, type MetadataQueryOptions } from './idp/metadata-query.ts';
export { MetadataRefresh, type MetadataRefreshOptions, type MetadataSource } from './idp/metadata-refresh.ts';
export type { KeyPair } from './keys/key-material.ts';
export type { ReceivedLogoutRequest, ReceivedLogoutResponse, ReceivedSoapLogout } from './logout/logout.ts';
export type { LogoutOutcome, LogoutSubject, SignOutRequest } from './logout/logout-message.ts';
export { type ReplayStoreRule, replayStoreContract } from './replay-store-contract.ts';
export { ServiceProvider, type SignInFacts } from './service-provider.ts';
export type { SignInRequest, StartedSignIn } from './sign-in/authn-request.ts';
export { acceptsEcp, checkConsumerUrl, ecpRelayState, paosContentType } from './sign-in/ecp.ts';
export type { AuthnContextComparison, PendingSignIn, PendingSignOut } from './sign-in/pending.ts';
export { type PendingCookieOptions, PendingCookies, type TakenPending } from './sign-in/pending-cookies.ts';
export type { SamlIdentity } from './sign-in/response.ts';
export type { AuditEvent } from './sp/audit.ts';
export type { ServiceProviderOptions } from './sp/configuration.ts';
export { MemoryReplayStore, type ReplayStore } from './sp/replay.ts';
export type { MetadataOptions } from './sp/sp-metadata.ts';
export {
  type ExchangedAssertion,
  renderAssertionGrant,
  saml2BearerClientAssertion,
  saml2BearerGrant,
  type TokenEndpoint,
  tokenErrorOf,
} from './tokens/token-exchange.ts';
export {
  type AssertionToken,
  type AssertionTokenRequest,
  renewToken,
  requestToken,
  revokeToken,
  type TokenRenewal,
  type TokenRevocation,
} from './tokens/token-request.ts';
export { readReturnTo } from './values/return-to.ts';
export { isSafeEndpoint } from './values/safe-endpoint.ts';
export { bindings, nameIdFormats, statusCodes } from './xml/names.ts';
export { compileSchemas } from './xml/schema.ts';
