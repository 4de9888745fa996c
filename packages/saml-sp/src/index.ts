/**
 * A SAML 2.0 service provider that resists XML signature wrapping. Start with `ServiceProvider` and `readIdpMetadata`.
 * @module @octavo/saml-sp
 */

export { errorResponse } from './adapter.ts';
export type { AssertionFacts } from './assertion.ts';
export { attributeValues, type SamlAttribute } from './attributes.ts';
export type { AuditEvent } from './audit.ts';
export type { SignInRequest, StartedSignIn } from './authn-request.ts';
export type { Authentication } from './authn-statement.ts';
export type { ServiceProviderOptions } from './configuration.ts';
export { acceptsEcp, checkConsumerUrl, ecpRelayState, paosContentType } from './ecp.ts';
export { SamlError, type SamlErrorCode, type SamlStatus, samlErrors } from './errors.ts';
export { type OutgoingMessage, toResponse } from './http-message.ts';
export {
  directoryOf,
  type Endpoint,
  type IdentityProvider,
  type IdentityProviderDirectory,
  type IdentityProviderPolicy,
  strictPolicy,
} from './identity-provider.ts';
export { type IdpMetadataOptions, readIdpMetadata } from './idp-metadata.ts';
export type { IncomingRequest } from './incoming-request.ts';
export type { KeyPair } from './key-material.ts';
export { readLargeMetadata } from './large-metadata.ts';
export type { ReceivedLogoutRequest, ReceivedLogoutResponse, ReceivedSoapLogout } from './logout.ts';
export type { LogoutOutcome, LogoutSubject, SignOutRequest } from './logout-message.ts';
export type { ProviderDisplay } from './metadata-display.ts';
export { MetadataQuery, type MetadataQueryOptions } from './metadata-query.ts';
export { MetadataRefresh, type MetadataRefreshOptions, type MetadataSource } from './metadata-refresh.ts';
export { bindings, nameIdFormats, statusCodes } from './names.ts';
export type { AuthnContextComparison, PendingSignIn, PendingSignOut } from './pending.ts';
export { type PendingCookieOptions, PendingCookies, type TakenPending } from './pending-cookies.ts';
export { commonAttributes, type Person, readPerson } from './person.ts';
export { MemoryReplayStore, type ReplayStore } from './replay.ts';
export { type ReplayStoreRule, replayStoreContract } from './replay-store-contract.ts';
export type { SamlIdentity } from './response.ts';
export { readReturnTo } from './return-to.ts';
export { isSafeEndpoint } from './safe-endpoint.ts';
export { compileSchemas } from './schema.ts';
export { ServiceProvider, type SignInFacts } from './service-provider.ts';
export type { MetadataOptions } from './sp-metadata.ts';
export { isSameNameId, type NameId } from './subject.ts';
export { findSubjectId } from './subject-id.ts';
export {
  type ExchangedAssertion,
  renderAssertionGrant,
  saml2BearerClientAssertion,
  saml2BearerGrant,
  type TokenEndpoint,
  tokenErrorOf,
} from './token-exchange.ts';
export { type AssertionToken, type AssertionTokenRequest, renewToken, requestToken, type TokenRenewal } from './token-request.ts';
