import type { XmlDocument } from 'libxml2-wasm';
import { type AssertionFacts, requireAssertion } from '../assertion/assertion.ts';
import { readParameters } from '../bindings/http-message.ts';
import { SamlError } from '../errors.ts';
import { requireIdentityProvider } from '../idp/identity-provider.ts';
import { digest } from '../keys/algorithms.ts';
import { verifyEnvelopedSignature } from '../keys/signature.ts';
import { readIssuer, readMessage, requireCounts } from '../messages/protocol-message.ts';
import { type Configuration, claimOnce, clockOf } from '../sp/configuration.ts';
import { listOf, optional, readShape, shape, text } from '../values/shape.ts';
import { ns } from '../xml/names.ts';
import { childrenNamed, messageLimits } from '../xml/xml.ts';

/**
 * The grant type of RFC 7522 2.1.
 * @example form.get('grant_type') === saml2BearerGrant
 */
export const saml2BearerGrant = 'urn:ietf:params:oauth:grant-type:saml2-bearer';
/**
 * The client assertion type of RFC 7522 2.2.
 * @example form.get('client_assertion_type') === saml2BearerClientAssertion
 */
export const saml2BearerClientAssertion = 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer';

/** The authorization server that an assertion is presented to. */
export interface TokenEndpoint {
  /** Its token endpoint: the only Recipient that counts (RFC 7522 3). */
  url: string;
  /** Other names that count as Audience, such as its issuer. */
  audiences?: readonly string[];
}

// Without an address of ours, any Recipient would match, or none.
const endpointReader = shape({ url: text(), audiences: optional(listOf(text(), 'strings', 100)) });
const grantOptionsReader = shape({ scope: optional(text()), clientId: optional(text()) });
const formReader = text('the form body as text', () => true);

/** An exchanged assertion: whom it is about, and what was requested. */
export interface ExchangedAssertion extends AssertionFacts {
  issuer: string;
  scope: string | undefined;
}

/**
 * The form body that exchanges an assertion for an access token (RFC 7522 2.1): base64url, no line breaks, no padding.
 * @example fetch(tokenEndpoint, { method: 'POST', body: new URLSearchParams(renderAssertionGrant(assertionXml)) })
 */
export function renderAssertionGrant(assertionXml: string, options: { scope?: string; clientId?: string } = {}): string {
  readShape(assertionXml, 'assertionXml', text());
  readShape(options, 'options', grantOptionsReader);
  const body = new URLSearchParams({ grant_type: saml2BearerGrant, assertion: Buffer.from(assertionXml).toString('base64url') });
  if (options.scope !== undefined) body.set('scope', options.scope);
  if (options.clientId !== undefined) body.set('client_id', options.clientId);
  return body.toString();
}

function decodeAssertion(assertion: string): Uint8Array {
  if (assertion.length > messageLimits.maxBytes * 1.4)
    throw new SamlError('SAML_MESSAGE_TOO_LARGE', 'the assertion is too large');
  const bytes = Buffer.from(assertion, 'base64url');
  const unpadded = assertion.replace(/={0,2}$/, '');
  if (unpadded === '' || bytes.toString('base64url') !== unpadded)
    throw new SamlError('SAML_ENCODING', 'the assertion is not base64url');
  return bytes;
}

/** A parameter without a value counts as omitted (RFC 6749 3.2). */
function readGrantForm(body: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name, value } of readParameters(readShape(body, 'body', formReader))) {
    if (found.has(name)) throw new SamlError('SAML_PARAMETER', `duplicate parameter ${JSON.stringify(name.slice(0, 40))}`);
    found.set(name, value);
  }
  for (const [name, value] of found) if (value === '') found.delete(name);
  return found;
}

/** Without it the request is malformed, which is not the same as an assertion that is not accepted (RFC 6749 5.2). */
function requireParameter(form: ReadonlyMap<string, string>, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new SamlError('SAML_PARAMETER', `the parameter ${name} is missing`);
  return value;
}

function requireOneAssertion(document: XmlDocument): void {
  requireCounts(document.root, { assertions: 1, signatures: childrenNamed(document.root, ns.ds, 'Signature').length });
}

/**
 * Verifies one bearer assertion that was presented to a token endpoint, and uses it up.
 * @param requireHolder checks who presents it, before it is used up: a refusal uses nothing up
 */
async function verifyBearerAssertion(
  configuration: Configuration,
  given: TokenEndpoint,
  assertion: string,
  requireHolder: (facts: AssertionFacts) => void = () => {},
): Promise<AssertionFacts & { issuer: string }> {
  const endpoint = readShape(given, 'endpoint', endpointReader);
  using document = readMessage(decodeAssertion(assertion), { namespace: ns.saml, name: 'Assertion' });
  requireOneAssertion(document);
  const provider = await requireIdentityProvider(configuration.identityProviders, readIssuer(document.root), configuration.now());
  using verified = verifyEnvelopedSignature(document.root, {
    keys: provider.signingKeys,
    allowSha1: provider.policy.dangerouslyAllowSha1,
  });
  if (verified === undefined) throw new SamlError('SAML_SIGNATURE_MISSING', 'the assertion is not signed');
  const facts = requireAssertion(verified.root, {
    issuer: provider.entityId,
    audiences: [endpoint.url, ...(endpoint.audiences ?? [])],
    recipient: endpoint.url,
    inResponseTo: undefined,
    notBeforeInstant: undefined,
    freshSince: undefined,
    contextClasses: [],
    clientAddress: undefined,
    clock: clockOf(configuration),
    decryption: { keys: configuration.decryptionKeys.map(key => key.privateKey), allowCbc: provider.policy.dangerouslyAllowCbc },
    needsAuthentication: false,
  });
  if (facts.nameId === undefined) throw new SamlError('SAML_SUBJECT', 'the assertion does not identify its subject');
  requireHolder(facts);
  await claimOnce(
    configuration,
    `exchange:${digest('sha256', `${provider.entityId}\n${facts.assertionId}`).toString('hex')}`,
    facts.usableUntil,
  );
  return { ...facts, issuer: provider.entityId };
}

/**
 * The authorization server's side of RFC 7522 2.1: verifies the form of a token request.
 * @throws SamlError; answer with `tokenErrorOf(error)`
 */
export async function verifyAssertionGrant(
  configuration: Configuration,
  endpoint: TokenEndpoint,
  body: string,
): Promise<ExchangedAssertion> {
  const form = readGrantForm(body);
  if (requireParameter(form, 'grant_type') !== saml2BearerGrant)
    throw new SamlError('SAML_GRANT', `grant_type must be ${saml2BearerGrant}`);
  const facts = await verifyBearerAssertion(configuration, endpoint, requireParameter(form, 'assertion'));
  return { ...facts, scope: form.get('scope') };
}

/**
 * The other use, RFC 7522 2.2: an assertion that authenticates the client itself. If a client_id is sent, it must be the subject.
 */
export async function verifyClientAssertion(
  configuration: Configuration,
  endpoint: TokenEndpoint,
  body: string,
): Promise<AssertionFacts & { issuer: string }> {
  const form = readGrantForm(body);
  if (form.get('client_assertion_type') !== saml2BearerClientAssertion)
    throw new SamlError('SAML_GRANT', `client_assertion_type must be ${saml2BearerClientAssertion}`);
  const clientId = form.get('client_id');
  return await verifyBearerAssertion(configuration, endpoint, requireParameter(form, 'client_assertion'), ({ nameId }) => {
    if (clientId !== undefined && clientId !== nameId?.value)
      throw new SamlError('SAML_GRANT', 'the assertion is for another client');
  });
}

/**
 * The OAuth error for a refusal (RFC 6749 5.2): status 400 with this JSON. The description names the check, never the token. An
 * outage is rethrown, because it is not the client's fault.
 * @example catch (error) { return Response.json(tokenErrorOf(error), { status: 400 }); }
 */
export function tokenErrorOf(error: unknown, use: 'grant' | 'client' = 'grant'): { error: string; error_description: string } {
  if (!(error instanceof SamlError) || error.status === 503) throw error;
  const asked = error.code === 'SAML_PARAMETER' || (error.code === 'SAML_GRANT' && use === 'grant');
  const name = error.code === 'SAML_GRANT' && use === 'grant' ? 'unsupported_grant_type' : 'invalid_request';
  return {
    error: asked ? name : use === 'grant' ? 'invalid_grant' : 'invalid_client',
    error_description: `${error.code}: ${error.check}`,
  };
}
