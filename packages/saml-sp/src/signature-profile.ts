import { type XmlElement, XmlXPath } from 'libxml2-wasm';
import { requireDigestAlgorithm, requireSignatureAlgorithm, type SignatureAlgorithm } from './algorithms.ts';
import { quote, SamlError } from './errors.ts';
import { ns } from './names.ts';
import { base64Of, childElements, childrenNamed, findAttribute, findChild, getAttribute, getChild, isNamed } from './xml.ts';

/** An enveloped signature that keeps to the profile: all that the verification needs to know about it. */
export interface ProfiledSignature {
  element: XmlElement;
  signedInfo: XmlElement;
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
/** What KeyInfo may carry. None of it is ever read: keys come from metadata alone (V16, V17); nothing that points elsewhere (V41). */
const keyInfoContent = new Set(['X509Data', 'KeyName', 'KeyValue', 'ECKeyValue', 'DEREncodedKeyValue']);
const maxPrefixes = 16;

const refuse = (message: string): never => {
  throw new SamlError('SAML_SIGNATURE_PROFILE', message);
};

/** The children of an element must be exactly these, in this order. */
function requireChildren(parent: XmlElement, names: readonly string[]): XmlElement[] {
  const children = childElements(parent);
  const same = children.length === names.length && children.every((child, at) => isNamed(child, ns.ds, names[at] ?? ''));
  return same ? children : refuse(`${parent.name} must hold exactly ${names.join(', ') || 'nothing'}`);
}

function readPrefixes(transform: XmlElement, signed: XmlElement): string[] {
  const [child, ...more] = childElements(transform);
  if (child === undefined) return [];
  if (more.length > 0 || !isNamed(child, ns.ec, 'InclusiveNamespaces')) refuse('a transform holds something unknown');
  const prefixes = getAttribute(child, 'PrefixList')
    .split(/[ \t\r\n]+/)
    .filter(Boolean);
  if (prefixes.length > maxPrefixes) refuse(`PrefixList names more than ${maxPrefixes} prefixes`);
  for (const prefix of prefixes) {
    if (!/^[A-Za-z_][\w.-]{0,50}$/.test(prefix)) refuse(`PrefixList names ${quote(prefix)}`);
    // A prefix that is not in scope lets two canonicalizers differ (V10).
    if (signed.namespaceForPrefix(prefix) === null) refuse(`PrefixList names the undeclared prefix ${quote(prefix)}`);
  }
  return prefixes;
}

/** Exactly two transforms: enveloped signature, then exclusive canonicalization without comments (saml-core-2.0 5.4.4). */
function readTransforms(reference: XmlElement, signed: XmlElement): string[] {
  const [transforms] = childElements(reference);
  const list = transforms === undefined ? [] : requireChildren(transforms, ['Transform', 'Transform']);
  const [enveloped, exclusive] = list as [XmlElement, XmlElement];
  if (getAttribute(enveloped, 'Algorithm') !== envelopedTransform || childElements(enveloped).length > 0) {
    refuse('the first transform must be enveloped-signature');
  }
  if (getAttribute(exclusive, 'Algorithm') !== exclusiveC14n) refuse('the second transform must be exclusive canonicalization');
  return readPrefixes(exclusive, signed);
}

function requireKeyInfoHarmless(signature: XmlElement): void {
  const keyInfo = findChild(signature, ns.ds, 'KeyInfo');
  if (keyInfo === undefined) return;
  for (const child of childElements(keyInfo)) {
    if (!keyInfoContent.has(child.name)) refuse(`KeyInfo holds ${quote(child.name)}`);
  }
}

/** SignedInfo must point at the very element that holds the signature, by its ID and nothing else (V19, V21, V31). */
function requireReferenceToParent(reference: XmlElement, signed: XmlElement): void {
  const uri = getAttribute(reference, 'URI');
  if (uri !== `#${getAttribute(signed, 'ID')}`)
    refuse(`the Reference ${quote(uri)} is not the ID of the element that holds the signature`);
  if (findAttribute(reference, 'Type') !== undefined) refuse('the Reference has a Type');
}

/**
 * Reads the signature that an element holds as a direct child, or nothing when it holds none.
 * @throws SamlError `SAML_SIGNATURE_PROFILE` or `SAML_SIGNATURE_ALGORITHM`
 */
export function readSignature(signed: XmlElement, allowSha1: boolean): ProfiledSignature | undefined {
  const [element, second] = childrenNamed(signed, ns.ds, 'Signature');
  if (element === undefined) return undefined;
  if (second !== undefined) refuse(`${signed.name} holds two signatures`);
  const hasKeyInfo = childElements(element).length === 3;
  const [signedInfo] = requireChildren(element, ['SignedInfo', 'SignatureValue', ...(hasKeyInfo ? ['KeyInfo'] : [])]) as [
    XmlElement,
  ];
  requireKeyInfoHarmless(element);
  const [method, signatureMethod, reference] = requireChildren(signedInfo, [
    'CanonicalizationMethod',
    'SignatureMethod',
    'Reference',
  ]) as [XmlElement, XmlElement, XmlElement];
  if (getAttribute(method, 'Algorithm') !== exclusiveC14n)
    refuse('SignedInfo must be canonicalized exclusively, without comments');
  requireChildren(method, []);
  requireChildren(signatureMethod, []);
  requireReferenceToParent(reference, signed);
  const [, digestMethod] = requireChildren(reference, ['Transforms', 'DigestMethod', 'DigestValue']) as [XmlElement, XmlElement];
  requireChildren(digestMethod, []);
  const algorithmId = getAttribute(signatureMethod, 'Algorithm');
  const digestId = getAttribute(digestMethod, 'Algorithm');
  return {
    element,
    signedInfo,
    algorithm: requireSignatureAlgorithm(algorithmId, allowSha1),
    algorithmId,
    digestHash: requireDigestAlgorithm(digestId, allowSha1),
    digestId,
    digestValue: base64Of(getChild(reference, ns.ds, 'DigestValue')),
    signatureValue: base64Of(getChild(element, ns.ds, 'SignatureValue')),
    prefixes: readTransforms(reference, signed),
  };
}

let idAttributes: XmlXPath | undefined;

/**
 * No two attributes that any reader could take for an ID (`ID`, `Id`, `id`, `xml:id`, `x:ID`) may have one value, and
 * `xml:id` may not occur: a reference that could mean two things is refused before anything is verified (V30).
 */
export function requireUniqueIds(root: XmlElement): void {
  idAttributes ??= XmlXPath.compile("//@*[translate(local-name(),'ID','id')='id']");
  const seen = new Set<string>();
  for (const node of root.find(idAttributes)) {
    if ((node as { prefix?: string }).prefix) throw new SamlError('SAML_DUPLICATE_ID', 'an ID attribute in a namespace');
    if (seen.has(node.content)) throw new SamlError('SAML_DUPLICATE_ID', `the ID ${quote(node.content)} is there twice`);
    seen.add(node.content);
  }
}
