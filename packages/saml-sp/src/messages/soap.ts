import type { XmlDocument, XmlElement } from 'libxml2-wasm';
import type { HttpMessage } from '../bindings/incoming-request.ts';
import { quote, SamlError } from '../errors.ts';
import { inclusiveForm } from '../xml/canonical-form.ts';
import { ns } from '../xml/names.ts';
import { childElements, findChild, getChild, isNamed, textOf } from '../xml/xml.ts';
import { readMessage } from './protocol-message.ts';

/** A parsed SOAP 1.1 envelope: its headers, and the one message in its body as separate bytes. */
export interface SoapMessage {
  headers: XmlElement[];
  message: Uint8Array;
}

/** The envelope as it was sent: it must not have gone through a form parser. */
export function bytesOf(http: HttpMessage): Uint8Array {
  if (typeof http.body !== 'string') throw new SamlError('SAML_CONFIG_INVALID', 'request.body: expected the envelope as text');
  return Buffer.from(http.body);
}

function requireNoFault(body: XmlElement): void {
  const fault = findChild(body, ns.soap, 'Fault');
  if (fault === undefined) return;
  const text = childElements(fault).find(child => child.name === 'faultstring');
  throw new SamlError('SAML_SOAP_FAULT', `the peer responded with a fault: ${quote(text === undefined ? '' : textOf(text))}`);
}

/** The message is extracted with every namespace in scope, then passes every check as if it had come alone. */
function liftMessage(body: XmlElement, expected: { namespace: string; name: string }): Uint8Array {
  requireNoFault(body);
  const [message, ...more] = childElements(body);
  if (message === undefined || more.length > 0 || !isNamed(message, expected.namespace, expected.name)) {
    throw new SamlError('SAML_STRUCTURE', `the SOAP body must contain exactly one ${expected.name}`);
  }
  return Buffer.from(inclusiveForm(message));
}

/** The role of the first receiver of an envelope (SOAP 1.1 4.2.2). */
export const nextActor = 'http://schemas.xmlsoap.org/soap/actor/next';

/**
 * A header that must be understood may change what the message means, so it is not ignored (SOAP 1.1 4.2.3), whichever actor it names:
 * nobody stands between the sender and us for whom it could be.
 */
function requireUnderstood(headers: readonly XmlElement[], isKnown: (header: XmlElement) => boolean): void {
  const unknown = headers.find(
    header =>
      header.attrs.some(one => one.name === 'mustUnderstand' && one.namespaceUri === ns.soap && one.value === '1') &&
      !isKnown(header),
  );
  if (unknown !== undefined)
    throw new SamlError(
      'SAML_STRUCTURE',
      `the SOAP header ${quote(unknown.name)} is marked mustUnderstand, but is not supported`,
    );
}

/**
 * Reads an envelope. The caller gets the result of `read`; the document is disposed of afterwards.
 * @param isKnown the headers that `read` understands
 */
export function readSoap<T>(
  bytes: Uint8Array,
  expected: { namespace: string; name: string },
  isKnown: (header: XmlElement) => boolean,
  read: (message: SoapMessage) => T,
): T {
  using document: XmlDocument = readMessage(bytes, { namespace: ns.soap, name: 'Envelope' }, 'soap');
  const header = findChild(document.root, ns.soap, 'Header');
  const headers = header === undefined ? [] : childElements(header);
  requireUnderstood(headers, isKnown);
  const body = getChild(document.root, ns.soap, 'Body');
  return read({ headers, message: liftMessage(body, expected) });
}

/** The only message of a body, when no header is expected. */
export const readSoapBody = (bytes: Uint8Array, expected: { namespace: string; name: string }): Uint8Array =>
  readSoap(
    bytes,
    expected,
    () => false,
    ({ message }) => message,
  );
