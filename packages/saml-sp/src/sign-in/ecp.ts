import type { XmlElement } from 'libxml2-wasm';
import { type HttpMessage, type IncomingRequest, readIncoming } from '../bindings/incoming-request.ts';
import { maxFormBytes } from '../bindings/post-binding.ts';
import { SamlError } from '../errors.ts';
import type { IdentityProvider } from '../idp/identity-provider.ts';
import { signXml } from '../keys/signing.ts';
import { bytesOf, nextActor, readSoap } from '../messages/soap.ts';
import type { Configuration } from '../sp/configuration.ts';
import { holding, optional, readShape, text } from '../values/shape.ts';
import { bindings, ns } from '../xml/names.ts';
import { escapeXml, findAttribute, isNamed, textOf } from '../xml/xml.ts';
import { createPendingSignIn, renderAuthnRequest, requireSigningKey, type SignInRequest } from './authn-request.ts';
import type { PendingSignIn } from './pending.ts';

/**
 * The content type in both directions.
 * @example reply.type(paosContentType).send(started.envelope)
 */
export const paosContentType = 'application/vnd.paos+xml';
const service = 'urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp';

const headerReader = optional(text('one header as text', () => true));
const headersReader = holding({ accept: headerReader, paos: headerReader });

/**
 * Whether this client speaks the Enhanced Client Profile, according to both headers (saml-ecp-2.0 2.3.1).
 * @example if (acceptsEcp({ accept: headers.accept, paos: headers.paos })) …
 */
export function acceptsEcp(headers: { accept?: string | undefined; paos?: string | undefined }): boolean {
  readShape(headers, 'headers', headersReader);
  const accepted = (headers.accept ?? '').split(',').some(range => {
    const [type, ...parameters] = range.split(';').map(part => part.trim().toLowerCase());
    // A weight of 0 means that the type is not accepted (RFC 9110 12.4.2).
    return type === paosContentType && !parameters.some(one => /^q=0(?:\.0{0,3})?$/.test(one));
  });
  const [version, ...services] = (headers.paos ?? '').split(';').map(part => part.trim());
  return (
    accepted &&
    /^ver\s*=\s*"urn:liberty:paos:2003-08"$/.test(version ?? '') &&
    services.some(one => one.split(',').some(name => name.trim() === `"${service}"`))
  );
}

const header = (name: string, namespace: string, attributes: string, content = ''): string =>
  `<${name} xmlns:${name.split(':', 1)[0]}="${namespace}" soap:mustUnderstand="1" soap:actor="${nextActor}"${attributes}>${content}</${name}>`;

/**
 * Answers an enhanced client that wants to sign in: an envelope with the AuthnRequest, to be sent as `application/vnd.paos+xml`.
 */
export function startEcp(
  configuration: Configuration,
  provider: IdentityProvider,
  request: SignInRequest,
): { envelope: string; pending: PendingSignIn } {
  const key = requireSigningKey(configuration, provider);
  const pending = createPendingSignIn(configuration, provider, request);
  const plain = renderAuthnRequest(configuration, { pending, destination: undefined, responseBinding: bindings.paos }, request);
  const xml = key === undefined ? plain : signXml(plain, key, 'after-issuer');
  const acs = escapeXml(pending.assertionConsumerServiceUrl);
  const headers =
    header('paos:Request', ns.paos, ` responseConsumerURL="${acs}" service="${service}" messageID="${pending.requestId}"`) +
    header(
      'ecp:Request',
      ns.ecp,
      ` IsPassive="${request.isPassive === true}"`,
      `<saml:Issuer xmlns:saml="${ns.saml}">${escapeXml(configuration.entityId)}</saml:Issuer>`,
    ) +
    header('ecp:RelayState', ns.ecp, '', escapeXml(pending.relayState));
  const envelope = `<soap:Envelope xmlns:soap="${ns.soap}"><soap:Header>${headers}</soap:Header><soap:Body>${xml}</soap:Body></soap:Envelope>`;
  return { envelope, pending };
}

/** The answer that an enhanced client delivered. */
export interface EcpAnswer {
  /** The Response, to be verified like any other. */
  xml: Uint8Array;
  relayState: string | undefined;
  /** The ID of our AuthnRequest, as the client echoes it. */
  refersTo: string | undefined;
}

const textOfHeader = (headers: readonly XmlElement[], namespace: string, name: string): string | undefined => {
  const [found, second] = headers.filter(one => isNamed(one, namespace, name));
  if (second !== undefined) throw new SamlError('SAML_PAOS', `duplicate header ${name}`);
  return found === undefined ? undefined : textOf(found);
};

/**
 * The headers of the profile. Those that the provider wrote for the client (`ecp:Response`, `ecp:RequestAuthenticated`) should not
 * arrive, but simple clients leave them in, and they say nothing to us.
 */
const isProfileHeader = (header: XmlElement): boolean =>
  isNamed(header, ns.paos, 'Response') ||
  ['RelayState', 'Response', 'RequestAuthenticated'].some(name => isNamed(header, ns.ecp, name));

/** Reads the envelope that an enhanced client posts to our assertion consumer service. */
export function readEcpAnswer(http: HttpMessage): EcpAnswer {
  const type = http.contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (http.method !== 'POST' || type !== paosContentType)
    throw new SamlError('SAML_HTTP_METHOD', `an enhanced client must post ${paosContentType}`);
  return readSoap(bytesOf(http), { namespace: ns.samlp, name: 'Response' }, isProfileHeader, ({ headers, message }) => {
    const paos = headers.find(one => isNamed(one, ns.paos, 'Response'));
    return {
      xml: message,
      relayState: textOfHeader(headers, ns.ecp, 'RelayState'),
      refersTo: paos === undefined ? undefined : findAttribute(paos, 'refToMessageID'),
    };
  });
}

/**
 * The RelayState of what an enhanced client posted: it identifies the sign-in that was kept, for `finishEcp`. Nothing is verified
 * yet. @throws SamlError when it is not such an envelope
 * @example const pending = takePending(await ecpRelayState(request));
 */
export async function ecpRelayState(request: IncomingRequest): Promise<string | undefined> {
  return readEcpAnswer(await readIncoming(request, maxFormBytes)).relayState;
}

/**
 * A check that the client must make, for clients built with this package: the identity provider's `AssertionConsumerServiceURL`
 * must equal our `responseConsumerURL`, or the Response would be carried to someone else (saml-profiles-2.0 4.2.4.2).
 * @returns a SOAP fault to post to the service provider instead, or undefined when they are equal
 * @example const fault = checkConsumerUrl(ours, theirs);
 */
export function checkConsumerUrl(responseConsumerUrl: string, assertionConsumerServiceUrl: string): string | undefined {
  // Two missing values would be equal.
  readShape(responseConsumerUrl, 'responseConsumerUrl', text());
  if (responseConsumerUrl === assertionConsumerServiceUrl) return undefined;
  return (
    `<soap:Envelope xmlns:soap="${ns.soap}"><soap:Body><soap:Fault><faultcode>soap:Server</faultcode>` +
    '<faultstring>AssertionConsumerServiceURL and responseConsumerURL differ</faultstring></soap:Fault></soap:Body></soap:Envelope>'
  );
}
