import { type KeyObject, sign } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { SamlError } from '../errors.ts';
import { requireSignatureAlgorithm, verifyRaw } from '../keys/algorithms.ts';
import { messageLimits } from '../xml/xml.ts';
import { getSamlParameters, type OutgoingMessage, type Parameter, readParameters, readRelayState } from './http-message.ts';
import type { HttpMessage } from './incoming-request.ts';

/** A message that arrived by HTTP-Redirect. Nothing in it is trusted before `verifyRedirectSignature`. */
export interface RedirectedMessage {
  kind: 'SAMLRequest' | 'SAMLResponse';
  xml: Uint8Array;
  relayState: string | undefined;
  /** The bytes that the signature may cover, in each possible spelling; undefined when the query carries no signature. */
  signature: { octets: string[]; algorithmId: string; value: Uint8Array } | undefined;
}

const maxQueryLength = 16_384;
const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const ecdsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256';
const deflateEncoding = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE';

/** Signs text with one of our keys. */
export function signOctets(octets: string, key: KeyObject): { algorithmId: string; value: Buffer } {
  const isEc = key.asymmetricKeyType === 'ec';
  const value = sign('sha256', Buffer.from(octets), isEc ? { key, dsaEncoding: 'ieee-p1363' } : { key });
  return { algorithmId: isEc ? ecdsaSha256 : rsaSha256, value };
}

/**
 * The URL that carries a message by HTTP-Redirect (saml-bindings-2.0 3.4.4), signed over the exact query when a key is given.
 */
export function renderRedirect(
  url: string,
  message: { kind: 'SAMLRequest' | 'SAMLResponse'; xml: string; relayState?: string | undefined; key?: KeyObject | undefined },
): OutgoingMessage {
  const packed = encodeURIComponent(deflateRawSync(Buffer.from(message.xml)).toString('base64'));
  let query = `${message.kind}=${packed}`;
  if (message.relayState !== undefined) query += `&RelayState=${encodeURIComponent(message.relayState)}`;
  if (message.key !== undefined) {
    query += `&SigAlg=${encodeURIComponent(message.key.asymmetricKeyType === 'ec' ? ecdsaSha256 : rsaSha256)}`;
    query += `&Signature=${encodeURIComponent(signOctets(query, message.key).value.toString('base64'))}`;
  }
  return { kind: 'redirect', url: `${url}${url.includes('?') ? '&' : '?'}${query}` };
}

/** Decompresses raw DEFLATE within a hard limit, so that a deflate bomb costs nothing. Nothing may follow the data. */
function inflate(packed: Uint8Array): Uint8Array {
  let xml: { buffer: Buffer; engine: { bytesWritten: number } };
  try {
    xml = inflateRawSync(packed, { maxOutputLength: messageLimits.maxBytes, info: true } as never) as never;
  } catch (cause) {
    const tooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new SamlError(tooLarge ? 'SAML_MESSAGE_TOO_LARGE' : 'SAML_ENCODING', 'the message cannot be decompressed', { cause });
  }
  if (xml.engine.bytesWritten !== packed.byteLength)
    throw new SamlError('SAML_ENCODING', 'there are bytes after the compressed message');
  return xml.buffer;
}

function decode(parameter: Parameter): Uint8Array {
  const text = parameter.value.replace(/[\r\n]/g, '');
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw new SamlError('SAML_ENCODING', `${parameter.name} is not base64`);
  return Buffer.from(text, 'base64');
}

/**
 * The signed bytes: as received, but in the order that the standard prescribes, whatever order they came in. If a URL parser ran
 * before us, `'` may have become `%27`: both spellings decode to the same values, so either may have been signed.
 */
function readSignature(
  parameters: Map<string, Parameter>,
  message: Parameter,
  reparsed: boolean,
): RedirectedMessage['signature'] {
  const algorithm = parameters.get('SigAlg');
  const signature = parameters.get('Signature');
  if (algorithm === undefined && signature === undefined) return undefined;
  if (algorithm === undefined || signature === undefined)
    throw new SamlError('SAML_PARAMETER', 'SigAlg and Signature belong together');
  const signed = [message, parameters.get('RelayState'), algorithm].filter(parameter => parameter !== undefined);
  const octets = signed.map(parameter => `${parameter.rawName}=${parameter.rawValue}`).join('&');
  const spellings = reparsed && octets.includes('%27') ? [octets, octets.replaceAll('%27', "'")] : [octets];
  return { octets: spellings, algorithmId: algorithm.value, value: decode(signature) };
}

/**
 * Reads a message from a query.
 * @throws SamlError of step "binding"
 */
export function readRedirectedMessage(http: HttpMessage): RedirectedMessage {
  if (http.method !== 'GET') throw new SamlError('SAML_HTTP_METHOD', 'a redirected message must come by GET');
  const { query } = http;
  if (query.length > maxQueryLength)
    throw new SamlError('SAML_MESSAGE_TOO_LARGE', `the query is longer than ${maxQueryLength} bytes`);
  const parameters = getSamlParameters(readParameters(query));
  const request = parameters.get('SAMLRequest');
  const response = parameters.get('SAMLResponse');
  const message = request ?? response;
  if (message === undefined || (request !== undefined && response !== undefined)) {
    throw new SamlError('SAML_PARAMETER', 'expected exactly one of SAMLRequest and SAMLResponse');
  }
  const encoding = parameters.get('SAMLEncoding');
  if (encoding !== undefined && encoding.value !== deflateEncoding)
    throw new SamlError('SAML_ENCODING', 'the SAMLEncoding is not DEFLATE');
  return {
    kind: request === undefined ? 'SAMLResponse' : 'SAMLRequest',
    signature: readSignature(parameters, message, http.reparsed),
    relayState: readRelayState(parameters.get('RelayState')?.value),
    xml: inflate(decode(message)),
  };
}

/** The query's signature must be present and valid. An XML signature inside a redirected message does not count. */
export function verifyRedirectSignature(message: RedirectedMessage, keys: readonly KeyObject[], allowSha1: boolean): void {
  const { signature } = message;
  if (signature === undefined) throw new SamlError('SAML_SIGNATURE_MISSING', 'the query is not signed');
  const algorithm = requireSignatureAlgorithm(signature.algorithmId, allowSha1);
  const spellings = signature.octets.map(octets => Buffer.from(octets));
  if (!keys.some(key => spellings.some(octets => verifyRaw(algorithm, key, octets, signature.value)))) {
    throw new SamlError('SAML_SIGNATURE_INVALID', 'no key of the metadata verifies the query');
  }
}
