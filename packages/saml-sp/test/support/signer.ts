import { constants, createHash, sign } from 'node:crypto';
import { ParseOption, XmlC14NMode, XmlDocument, type XmlElement } from 'libxml2-wasm';
import { changed } from './changed.ts';
import { type KeyName, testKey } from './keys.ts';

/** Everything about a signature that a fault may want to get wrong. */
export interface SignOptions {
  key?: KeyName;
  signatureAlgorithm?: string;
  digestAlgorithm?: string;
  c14n?: string;
  transforms?: string;
  prefixList?: string;
  uri?: string;
  keyInfo?: string;
  /** Changes the finished Signature text. */
  tamper?: (signature: string) => string;
  /** Changes SignedInfo before it is signed: a signer that is itself odd. */
  signedInfo?: (text: string) => string;
}

export const dsig = 'http://www.w3.org/2000/09/xmldsig#';
export const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
export const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
export const excC14n = 'http://www.w3.org/2001/10/xml-exc-c14n#';

const collect = () => {
  const chunks: Buffer[] = [];
  return {
    write: (chunk: Uint8Array) => chunks.push(Buffer.from(chunk)) && chunk.byteLength,
    close: () => true,
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
};

/** Canonical form of the element with that ID, as the reference signer sees it. */
export function canonical(xml: string, id: string | undefined, prefixes: string[] = []): string {
  const document = XmlDocument.fromString(xml, { option: ParseOption.XML_PARSE_NONET });
  try {
    const element = id === undefined ? document.root : (document.get(`//*[@ID='${id}']`) as XmlElement);
    const out = collect();
    element.canonicalize(out, {
      mode: XmlC14NMode.XML_C14N_EXCLUSIVE_1_0,
      ...(prefixes.length > 0 ? { inclusiveNamespacePrefixes: prefixes } : {}),
    });
    return out.text();
  } finally {
    document.dispose();
  }
}

const hashOf = (algorithm: string): string => /(sha\d+)/i.exec(algorithm)?.[1]?.toLowerCase() ?? 'sha256';

function signBytes(data: string, key: KeyName, algorithm: string): string {
  const { privateKey } = testKey(key);
  const bytes = Buffer.from(data);
  if (algorithm.includes('ecdsa'))
    return sign(hashOf(algorithm), bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64');
  if (algorithm.includes('MGF1')) {
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    return sign('sha256', bytes, { key: privateKey, padding, saltLength: 32 }).toString('base64');
  }
  return sign(hashOf(algorithm), bytes, privateKey).toString('base64');
}

/** A ds:Signature over the canonical form of the element with that ID. */
export function makeSignature(xml: string, id: string, options: SignOptions = {}): string {
  const digestAlgorithm = options.digestAlgorithm ?? sha256;
  const prefixes = (options.prefixList ?? '').split(' ').filter(Boolean);
  const digestValue = createHash(hashOf(digestAlgorithm))
    .update(canonical(xml, id, prefixes))
    .digest('base64');
  const inclusive =
    options.prefixList === undefined
      ? ''
      : `<ec:InclusiveNamespaces xmlns:ec="${excC14n}" PrefixList="${options.prefixList}"></ec:InclusiveNamespaces>`;
  const transforms =
    options.transforms ??
    `<ds:Transform Algorithm="${dsig}enveloped-signature"></ds:Transform><ds:Transform Algorithm="${excC14n}">${inclusive}</ds:Transform>`;
  const algorithm = options.signatureAlgorithm ?? rsaSha256;
  const plain =
    `<ds:SignedInfo xmlns:ds="${dsig}"><ds:CanonicalizationMethod Algorithm="${options.c14n ?? excC14n}"></ds:CanonicalizationMethod>` +
    `<ds:SignatureMethod Algorithm="${algorithm}"></ds:SignatureMethod><ds:Reference URI="${options.uri ?? `#${id}`}">` +
    `<ds:Transforms>${transforms}</ds:Transforms><ds:DigestMethod Algorithm="${digestAlgorithm}"></ds:DigestMethod>` +
    `<ds:DigestValue>${digestValue}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
  const signedInfo = changed(options.signedInfo, plain);
  const value = signBytes(canonical(signedInfo, undefined), options.key ?? 'idp', algorithm);
  const keyInfo =
    options.keyInfo ??
    `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${testKey(options.key ?? 'idp').base64}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
  const body = signedInfo.replace(` xmlns:ds="${dsig}"`, '');
  const signature = `<ds:Signature xmlns:ds="${dsig}">${body}<ds:SignatureValue>${value}</ds:SignatureValue>${keyInfo}</ds:Signature>`;
  return changed(options.tamper, signature);
}

/** Where SAML wants the signature: right after the Issuer of the element with that ID, or first in it where it has none. */
export function insertSignature(xml: string, id: string, signature: string): string {
  const start = xml.indexOf(`ID="${id}"`);
  const open = xml.indexOf('>', start) + 1;
  const issuer = /^\s*<(?:\w+:)?Issuer[^>]*?(?:\/>|>[^<]*<\/(?:\w+:)?Issuer>)/.exec(xml.slice(open));
  const at = open + (issuer?.[0].length ?? 0);
  return xml.slice(0, at) + signature + xml.slice(at);
}

/** Signs the element with that ID in place. */
export const signElement = (xml: string, id: string, options: SignOptions = {}): string =>
  insertSignature(xml, id, makeSignature(xml, id, options));
