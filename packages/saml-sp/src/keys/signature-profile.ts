import { type XmlElement, XmlXPath } from 'libxml2-wasm';
import { quote, SamlError } from '../errors.ts';
import { ns } from '../xml/names.ts';
import { base64Of, childElements, findAttribute, findChild, getAttribute, isNamed, textOf } from '../xml/xml.ts';
import { requireDigestAlgorithm, requireSignatureAlgorithm, type SignatureAlgorithm } from './algorithms.ts';

/** An enveloped signature that conforms to the profile: everything that verification needs to know about it. */
export interface ProfiledSignature {
  /** How many elements precede the Signature in the element that it signs. */
  place: number;
  hasKeyInfo: boolean;
  algorithm: SignatureAlgorithm;
  algorithmId: string;
  digestHash: string;
  digestId: string;
  digestValue: Uint8Array;
  signatureValue: Uint8Array;
  /** Prefixes that the exclusive canonicalization of the signed element treats inclusively. */
  prefixes: string[];
}

const envelopedTransform = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const exclusiveC14n = 'http://www.w3.org/2001/10/xml-exc-c14n#';
/** The elements that KeyInfo may contain. None is read: keys come from metadata alone. References to elsewhere are refused. */
const keyInfoContent = new Set(['X509Data', 'KeyName', 'KeyValue', 'ECKeyValue', 'DEREncodedKeyValue']);
const maxPrefixes = 16;
const rsaPss = 'http://www.w3.org/2007/05/xmldsig-more#rsa-pss';
const pssNamespace = 'http://www.w3.org/2007/05/xmldsig-more#';

const refuse = (message: string): never => {
  throw new SamlError('SAML_SIGNATURE_PROFILE', message);
};

/** The children of an element must be exactly these, in this order. */
function requireChildren(parent: XmlElement, names: readonly string[], children = childElements(parent)): XmlElement[] {
  const same = children.length === names.length && children.every((child, at) => isNamed(child, ns.ds, names[at] ?? ''));
  return same ? children : refuse(`${parent.name} must contain exactly ${names.join(', ') || 'nothing'}`);
}

/**
 * Prefixes that are treated inclusively. One that is not in scope has no effect (Salesforce and DigiD list some). Both
 * canonicalizers get all of them, and must produce the same bytes.
 */
function readPrefixes(transform: XmlElement): string[] {
  const [child, ...more] = childElements(transform);
  if (child === undefined) return [];
  if (more.length > 0 || !isNamed(child, ns.ec, 'InclusiveNamespaces')) refuse('a transform contains an unknown element');
  const prefixes = getAttribute(child, 'PrefixList')
    .split(/[ \t\r\n]+/)
    .filter(Boolean);
  if (prefixes.length > maxPrefixes) refuse(`PrefixList names more than ${maxPrefixes} prefixes`);
  for (const prefix of prefixes) {
    const isPrefix = prefix === '#default' || (/^[A-Za-z_][\w.-]{0,50}$/.test(prefix) && !/^xml/i.test(prefix));
    if (!isPrefix) refuse(`PrefixList names ${quote(prefix)}, which is not accepted`);
  }
  return prefixes;
}

/** Exactly two transforms: enveloped signature, then exclusive canonicalization without comments (saml-core-2.0 5.4.4). */
function readTransforms(transforms: XmlElement): string[] {
  const [enveloped, exclusive] = requireChildren(transforms, ['Transform', 'Transform']) as [XmlElement, XmlElement];
  if (getAttribute(enveloped, 'Algorithm') !== envelopedTransform || childElements(enveloped).length > 0) {
    refuse('the first transform must be enveloped-signature');
  }
  if (getAttribute(exclusive, 'Algorithm') !== exclusiveC14n) refuse('the second transform must be exclusive canonicalization');
  return readPrefixes(exclusive);
}

function requireKeyInfoHarmless(keyInfo: XmlElement): void {
  for (const child of childElements(keyInfo)) {
    if (!keyInfoContent.has(child.name)) refuse(`KeyInfo contains ${quote(child.name)}, which is not accepted`);
  }
}

/** RSASSA-PSS under the name that takes parameters (RFC 9231 2.3.9): only the parameters that its other names stand for. */
function readAlgorithm(method: XmlElement, allowSha1: boolean): SignatureAlgorithm {
  const algorithmId = getAttribute(method, 'Algorithm');
  const algorithm = requireSignatureAlgorithm(algorithmId, allowSha1);
  if (algorithmId !== rsaPss) {
    requireChildren(method, []);
    return algorithm;
  }
  const [parameters, ...more] = childElements(method);
  if (parameters === undefined) return algorithm;
  if (more.length > 0 || !isNamed(parameters, pssNamespace, 'RSAPSSParams'))
    refuse('SignatureMethod contains an unknown element');
  return { ...algorithm, hash: readPssHash(parameters) };
}

function readPssHash(parameters: XmlElement): SignatureAlgorithm['hash'] {
  const known = new Set(['DigestMethod', 'MaskGenerationFunction', 'SaltLength']);
  if (childElements(parameters).some(child => !known.has(child.name))) refuse('RSAPSSParams contains an unknown element');
  const digestMethod = findChild(parameters, ns.ds, 'DigestMethod');
  const hash = digestMethod === undefined ? 'sha256' : requireDigestAlgorithm(getAttribute(digestMethod, 'Algorithm'), false);
  const mask = findChild(parameters, pssNamespace, 'MaskGenerationFunction');
  const maskDigest = mask === undefined ? undefined : findChild(mask, ns.ds, 'DigestMethod');
  const maskHash = maskDigest === undefined ? 'sha256' : requireDigestAlgorithm(getAttribute(maskDigest, 'Algorithm'), false);
  const salt = findChild(parameters, pssNamespace, 'SaltLength');
  const sizes: Record<string, number> = { sha256: 32, sha384: 48, sha512: 64 };
  const saltLength = salt === undefined ? sizes[hash] : Number(textOf(salt).trim());
  if (maskHash !== hash || saltLength !== sizes[hash]) refuse('RSAPSSParams must name one digest and a salt of its size');
  return hash;
}

/** SignedInfo must refer to the very element that contains the signature, by its ID and nothing else (CVE-2024-8698). */
function requireReferenceToParent(reference: XmlElement, signed: XmlElement): void {
  const uri = getAttribute(reference, 'URI');
  if (uri !== `#${getAttribute(signed, 'ID')}`)
    refuse(`the Reference ${quote(uri)} is not the ID of the element that contains the signature`);
  if (findAttribute(reference, 'Type') !== undefined) refuse('the Reference has a Type');
}

/**
 * Reads the signature that an element has as a direct child; undefined when there is none.
 * @throws SamlError `SAML_SIGNATURE_PROFILE` or `SAML_SIGNATURE_ALGORITHM`
 */
export function readSignature(signed: XmlElement, allowSha1: boolean): ProfiledSignature | undefined {
  const children = childElements(signed);
  const place = children.findIndex(child => isNamed(child, ns.ds, 'Signature'));
  const element = children[place];
  if (element === undefined) return undefined;
  if (children.slice(place + 1).some(child => isNamed(child, ns.ds, 'Signature')))
    refuse(`${signed.name} contains two signatures`);
  const [signedInfo, signatureValue, keyInfo] = readParts(element);
  if (keyInfo !== undefined) requireKeyInfoHarmless(keyInfo);
  const [method, signatureMethod, reference] = requireChildren(signedInfo, [
    'CanonicalizationMethod',
    'SignatureMethod',
    'Reference',
  ]) as [XmlElement, XmlElement, XmlElement];
  if (getAttribute(method, 'Algorithm') !== exclusiveC14n)
    refuse('SignedInfo must be canonicalized exclusively, without comments');
  requireChildren(method, []);
  requireReferenceToParent(reference, signed);
  const [transforms, digestMethod, digestValue] = requireChildren(reference, ['Transforms', 'DigestMethod', 'DigestValue']) as [
    XmlElement,
    XmlElement,
    XmlElement,
  ];
  requireChildren(digestMethod, []);
  const algorithmId = getAttribute(signatureMethod, 'Algorithm');
  const digestId = getAttribute(digestMethod, 'Algorithm');
  return {
    place,
    hasKeyInfo: keyInfo !== undefined,
    algorithm: readAlgorithm(signatureMethod, allowSha1),
    algorithmId,
    digestHash: requireDigestAlgorithm(digestId, allowSha1),
    digestId,
    digestValue: base64Of(digestValue),
    signatureValue: base64Of(signatureValue),
    prefixes: readTransforms(transforms),
  };
}

/** SignedInfo, SignatureValue and optionally KeyInfo, in this order, and nothing else. */
function readParts(signature: XmlElement): [XmlElement, XmlElement, XmlElement?] {
  const parts = childElements(signature);
  const names = parts.length === 3 ? ['SignedInfo', 'SignatureValue', 'KeyInfo'] : ['SignedInfo', 'SignatureValue'];
  return requireChildren(signature, names, parts) as [XmlElement, XmlElement, XmlElement?];
}

let idAttributes: XmlXPath | undefined;

/**
 * No two attributes that any parser could take for an ID (`ID`, `Id`, `id`, `xml:id`, `x:ID`) may have the same value, and
 * `xml:id` may not occur: an ambiguous reference is refused before anything is verified. Values are compared the way a parser
 * sees them that knows they are IDs, without surrounding white space (XML 1.0 3.3.3).
 */
export function requireUniqueIds(root: XmlElement): void {
  idAttributes ??= XmlXPath.compile("//@*[translate(local-name(),'ID','id')='id']");
  const seen = new Set<string>();
  for (const node of root.find(idAttributes)) {
    if ((node as { prefix?: string }).prefix) throw new SamlError('SAML_DUPLICATE_ID', 'an ID attribute in a namespace');
    const id = node.content.trim().replace(/\s+/g, ' ');
    if (seen.has(id)) throw new SamlError('SAML_DUPLICATE_ID', `duplicate ID ${quote(id)}`);
    seen.add(id);
  }
}
