import type { XmlElement } from 'libxml2-wasm';
import { SamlError } from '../errors.ts';
import { type IdentityProvider, type IndexedEndpoint, signaturePolicyOf } from '../idp/identity-provider.ts';
import type { LoadedKeyPair } from '../keys/key-material.ts';
import { verifyEnvelopedSignature } from '../keys/signature.ts';
import { signXml } from '../keys/signing.ts';
import { readMessage, requireCounts, requireEnvelope, requireIssuer } from '../messages/protocol-message.ts';
import { readSoapBody } from '../messages/soap.ts';
import { requireSuccess } from '../messages/status.ts';
import { type Configuration, clockOf, createId } from '../sp/configuration.ts';
import { writeInstant } from '../values/instant.ts';
import { inclusiveForm } from '../xml/canonical-form.ts';
import { ns } from '../xml/names.ts';
import { childElements, childrenNamed, escapeXml, findAttribute, isNamed, messageLimits } from '../xml/xml.ts';
import type { Artifact } from './artifact.ts';
import { countsOf } from './response.ts';

/** A Response that was fetched for an artifact. Dispose of it after reading. */
export interface ResolvedArtifact extends Disposable {
  /** The Response as it was received, to pass every check like any other. */
  xml: Uint8Array;
  /** The same, from the bytes that the signature of the ArtifactResponse covers; undefined when that is not signed. */
  signed: XmlElement | undefined;
  /** Whether the policy accepts TLS as proof, and the connection used TLS. */
  trusted: boolean;
}

const soapAction = '"http://www.oasis-open.org/committees/security"';
const unanswered = (message: string, cause?: unknown): SamlError => new SamlError('SAML_ARTIFACT_RESOLUTION', message, { cause });

/** Our request. */
interface Asked {
  id: string;
  url: string;
  at: Date;
}

function renderArtifactResolve(configuration: Configuration, { id, url, at }: Asked, artifact: Artifact): string {
  const xml =
    `<samlp:ArtifactResolve xmlns:samlp="${ns.samlp}" xmlns:saml="${ns.saml}" ID="${id}" Version="2.0"` +
    ` IssueInstant="${writeInstant(at)}" Destination="${escapeXml(url)}">` +
    `<saml:Issuer>${escapeXml(configuration.entityId)}</saml:Issuer><samlp:Artifact>${artifact.text}</samlp:Artifact></samlp:ArtifactResolve>`;
  const signed = signXml(xml, configuration.signingKeys[0] as LoadedKeyPair, 'after-issuer');
  return `<soap:Envelope xmlns:soap="${ns.soap}"><soap:Body>${signed}</soap:Body></soap:Envelope>`;
}

/** Reads an answer up to the size limit of a message, whatever Content-Length says. */
async function readAnswer(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > messageLimits.maxBytes)
      throw new SamlError('SAML_MESSAGE_TOO_LARGE', `the response to the artifact has more than ${messageLimits.maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Asks once. A redirect is never followed: it would reveal to another server who signs in. */
async function ask(configuration: Configuration, { url }: Asked, body: string): Promise<Uint8Array> {
  const { fetch, timeoutSeconds } = configuration.artifactResolution as NonNullable<Configuration['artifactResolution']>;
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
      headers: { 'content-type': 'text/xml; charset=utf-8', accept: 'text/xml', soapaction: soapAction },
      body,
    });
    if (response.status === 200) return await readAnswer(response);
    await response.body?.cancel();
    throw unanswered(`the artifact resolution service responded with status ${response.status}`);
  } catch (cause) {
    throw cause instanceof SamlError ? cause : unanswered('the artifact resolution service did not respond', cause);
  }
}

const isOwn = (child: XmlElement): boolean =>
  isNamed(child, ns.saml, 'Issuer') ||
  isNamed(child, ns.ds, 'Signature') ||
  isNamed(child, ns.samlp, 'Extensions') ||
  isNamed(child, ns.samlp, 'Status');

/** The Response inside an ArtifactResponse: the only child that is not part of the ArtifactResponse itself. */
function carriedResponse(answer: XmlElement): XmlElement {
  const [first, ...more] = childElements(answer).filter(child => !isOwn(child));
  if (first === undefined) throw new SamlError('SAML_ARTIFACT', 'the identity provider no longer knows this artifact');
  if (more.length > 0 || !isNamed(first, ns.samlp, 'Response'))
    throw new SamlError('SAML_STRUCTURE', 'the ArtifactResponse must contain exactly one Response');
  return first;
}

/** Checks that the ArtifactResponse answers our request (saml-core-2.0 3.5.2, saml-profiles-2.0 5.3.2). */
function requireAnswer(answer: XmlElement, provider: IdentityProvider, configuration: Configuration, asked: Asked): void {
  requireIssuer(answer, provider.entityId);
  if (findAttribute(answer, 'InResponseTo') !== asked.id)
    throw new SamlError('SAML_IN_RESPONSE_TO', 'the ArtifactResponse answers another request');
  const issued = requireEnvelope(answer, clockOf(configuration));
  if (issued.getTime() < asked.at.getTime() - (configuration.clockToleranceSeconds + 1) * 1000)
    throw new SamlError('SAML_ISSUE_INSTANT', 'the ArtifactResponse is older than our request');
  requireSuccess(answer);
}

/** No assertion and no signature may hide beside the Response, where another parser could find it. */
function requireStructure(answer: XmlElement): void {
  const { assertions, signatures } = countsOf(carriedResponse(answer));
  requireCounts(answer, { assertions, signatures: signatures + childrenNamed(answer, ns.ds, 'Signature').length });
}

function readArtifactResponse(
  envelope: Uint8Array,
  provider: IdentityProvider,
  configuration: Configuration,
  asked: Asked,
): ResolvedArtifact {
  const bytes = readSoapBody(envelope, { namespace: ns.samlp, name: 'ArtifactResponse' });
  using document = readMessage(bytes, { namespace: ns.samlp, name: 'ArtifactResponse' });
  const verified = verifyEnvelopedSignature(document.root, signaturePolicyOf(provider));
  try {
    const answer = verified?.root ?? document.root;
    requireAnswer(answer, provider, configuration, asked);
    requireStructure(document.root);
    return {
      xml: Buffer.from(inclusiveForm(carriedResponse(document.root))),
      signed: verified === undefined ? undefined : carriedResponse(verified.root),
      trusted: provider.policy.dangerouslyTrustArtifactTls && asked.url.startsWith('https:'),
      [Symbol.dispose]: () => verified?.[Symbol.dispose](),
    };
  } catch (error) {
    verified?.[Symbol.dispose]();
    throw error;
  }
}

/**
 * Fetches the Response that an artifact stands for (saml-bindings-2.0 3.6.6): one signed request to the address in the provider's
 * metadata. The answer is trusted no more than a Response that was posted: it must be signed itself, or be inside a signed
 * ArtifactResponse.
 */
export async function resolveArtifact(
  configuration: Configuration,
  provider: IdentityProvider,
  endpoint: IndexedEndpoint,
  artifact: Artifact,
): Promise<ResolvedArtifact> {
  const asked = { id: createId(configuration), url: endpoint.location, at: configuration.now() };
  const answer = await ask(configuration, asked, renderArtifactResolve(configuration, asked, artifact));
  return readArtifactResponse(answer, provider, configuration, asked);
}
