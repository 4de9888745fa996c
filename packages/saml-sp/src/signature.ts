import type { KeyObject } from 'node:crypto';
import { createHash } from 'node:crypto';
import type { XmlDocument, XmlElement } from 'libxml2-wasm';
import { type HashAlgorithm, type SignatureAlgorithm as LibraryAlgorithm, SignedXml } from 'xml-crypto';
import { digest, verifyRaw } from './algorithms.ts';
import { canonicalDocument, canonicalForm } from './canonical-form.ts';
import { SamlError } from './errors.ts';
import { acceptedCanonicalizations, forLibrary } from './library-canonicalization.ts';
import { ns } from './names.ts';
import { type ProfiledSignature, readSignature } from './signature-profile.ts';
import { findChild, getChild, parseCanonical } from './xml.ts';

/** Whose signatures are believed, and which weak things with them. */
export interface SignaturePolicy {
  /** Public keys from metadata, tried in order. The message's own KeyInfo is never asked. */
  keys: readonly KeyObject[];
  /** Accept SHA-1 in signature and digest. Collisions are practical: only for a peer that cannot do better. */
  allowSha1: boolean;
}

/** An element whose signature held: its canonical bytes without the signature, parsed anew. Dispose `document`. */
export interface VerifiedElement extends Disposable {
  /** A document of its own, made from nothing but the bytes that were signed. */
  document: XmlDocument;
  /** Its root: read identity from here and nowhere else. */
  root: XmlElement;
  /** The element in canonical form with its signature: what can be handed on (RFC 7522). */
  signedXml: string;
}

/** xml-crypto has no ECDSA and no SHA-384: the same standard operations, offered to it through its own extension point. */
const libraryAlgorithm = (profile: ProfiledSignature): (new () => LibraryAlgorithm) =>
  class {
    getAlgorithmName = (): string => profile.algorithmId;
    getSignature = (): string => {
      throw new Error('this verifies only');
    };
    verifySignature = (material: string, key: unknown, value: string): boolean =>
      verifyRaw(profile.algorithm, key as KeyObject, Buffer.from(material), Buffer.from(value, 'base64'));
  } as unknown as new () => LibraryAlgorithm;

const libraryHash = (profile: ProfiledSignature): (new () => HashAlgorithm) =>
  class {
    getAlgorithmName = (): string => profile.digestId;
    getHash = (xml: string): string => createHash(profile.digestHash).update(xml, 'utf8').digest('base64');
  };

interface DomNode {
  ownerDocument?: DomNode | null;
  documentElement?: DomNode;
  childNodes: ArrayLike<DomNode>;
  localName?: string | null;
  namespaceURI?: string | null;
}

/** Inner steps of the library that search the whole document where the answer is known. */
interface LibrarySteps {
  signatureNode: DomNode | null;
  getCanonSignedInfoXml(document: unknown): string;
  getCanonReferenceXml(document: DomNode, reference: { xpath?: string | undefined }, node: unknown): string;
  canonicalize(transforms: unknown, node: unknown, options: unknown, how: { discardComments: boolean }): string;
  findLoadedSignature(node: DomNode): DomNode | null;
}

/**
 * The library searches the whole document by XPath for namespaces that ancestors declare, for comments and for the signature.
 * What it is given here is the root of its document in canonical form, and a Signature that declares all it uses: there are
 * neither ancestors nor comments, and the signature is the one child of that name. Where that is not so it searches.
 */
function withoutSearches(verifier: SignedXml): SignedXml {
  const steps = verifier as unknown as LibrarySteps;
  const { getCanonSignedInfoXml, getCanonReferenceXml, canonicalize, findLoadedSignature } = steps;
  steps.getCanonSignedInfoXml = () => getCanonSignedInfoXml.call(steps, steps.signatureNode);
  steps.getCanonReferenceXml = (document, reference, node) => {
    if (node === document.documentElement) reference.xpath = undefined;
    return getCanonReferenceXml.call(steps, document, reference, node);
  };
  steps.canonicalize = (transforms, node, options) =>
    canonicalize.call(steps, transforms, node, options, { discardComments: false });
  steps.findLoadedSignature = node => {
    const document = node.ownerDocument ?? node;
    const children =
      steps.signatureNode?.ownerDocument === document ? [] : Array.from(document.documentElement?.childNodes ?? []);
    const [found, second] = children.filter(child => child.localName === 'Signature' && child.namespaceURI === ns.ds);
    return found !== undefined && second === undefined ? found : findLoadedSignature.call(steps, node);
  };
  return verifier;
}

/** A library instance that knows one algorithm of each kind and one spelling of ID: the accepted ones. */
function restrictedVerifier(profile: ProfiledSignature, key: KeyObject): SignedXml {
  const verifier = new SignedXml({ publicCert: key as never, getCertFromKeyInfo: () => null });
  verifier.CanonicalizationAlgorithms = acceptedCanonicalizations(verifier.CanonicalizationAlgorithms);
  const builtIn = verifier.SignatureAlgorithms[profile.algorithmId];
  const ours = builtIn === undefined || profile.algorithm.pss;
  verifier.SignatureAlgorithms = { [profile.algorithmId]: ours ? libraryAlgorithm(profile) : builtIn };
  verifier.HashAlgorithms = { [profile.digestId]: verifier.HashAlgorithms[profile.digestId] ?? libraryHash(profile) };
  verifier.idAttributes = ['ID'];
  return withoutSearches(verifier);
}

/** The proven library decides. Returns exactly what it says was signed. */
function libraryVerdict(profile: ProfiledSignature, key: KeyObject, element: string, signature: string): string {
  const verifier = restrictedVerifier(profile, key);
  try {
    verifier.loadSignature(signature);
    if (!verifier.checkSignature(forLibrary(element))) throw new Error('digest mismatch');
  } catch (cause) {
    throw new SamlError('SAML_SIGNATURE_INVALID', 'the signature does not verify', { cause });
  }
  const [signed, ...more] = verifier.getSignedReferences();
  if (signed === undefined || more.length > 0) throw new SamlError('SAML_SIGNATURE_INVALID', 'not exactly one element is signed');
  return signed;
}

interface Prepared {
  /** The element in canonical form with its signature, without KeyInfo. */
  element: string;
  /** The signature alone, without KeyInfo. */
  signature: string;
  /** The element without its signature: what was signed. */
  bytes: string;
  key: KeyObject;
}

/**
 * Makes the element's canonical form without its signature from the one with it, and refuses a forgery on the way, long
 * before the slow library is asked: first the digest, which costs least, then the signature with each key of the metadata.
 */
function prepare(profile: ProfiledSignature, signedXml: string, keys: readonly KeyObject[]): Prepared {
  using document = parseCanonical(signedXml);
  const signature = getChild(document.root, ns.ds, 'Signature');
  // KeyInfo is never asked and never signed: without it the library has less to read.
  findChild(signature, ns.ds, 'KeyInfo')?.remove();
  const lean = { element: canonicalDocument(document, profile.prefixes), signature: canonicalForm(signature) };
  signature.remove();
  const bytes = canonicalDocument(document, profile.prefixes);
  if (!digest(profile.digestHash, bytes).equals(profile.digestValue)) {
    throw new SamlError('SAML_SIGNATURE_INVALID', 'the signed element was changed: its digest differs');
  }
  return { ...lean, bytes, key: findKey(profile, canonicalForm(profile.signedInfo), keys) };
}

/** The key of the metadata that made the signature over SignedInfo. */
function findKey(profile: ProfiledSignature, signedInfo: string, keys: readonly KeyObject[]): KeyObject {
  const data = Buffer.from(signedInfo);
  const key = keys.find(candidate => verifyRaw(profile.algorithm, candidate, data, profile.signatureValue));
  if (key === undefined) throw new SamlError('SAML_SIGNATURE_INVALID', 'no key of the metadata verifies the signature');
  return key;
}

/**
 * Verifies the enveloped signature of an element, or says that there is none.
 *
 * Two verifications must agree: libxml2's canonical bytes with Node's crypto, which is quick and refuses forgeries, and
 * xml-crypto, which decides. What it says was signed must equal libxml2's canonical form byte for byte, and only those
 * bytes, parsed anew, are handed back.
 */
export function verifyEnvelopedSignature(element: XmlElement, policy: SignaturePolicy): VerifiedElement | undefined {
  const profile = readSignature(element, policy.allowSha1);
  if (profile === undefined) return undefined;
  const signedXml = canonicalForm(element, profile.prefixes);
  const { element: lean, signature, bytes, key } = prepare(profile, signedXml, policy.keys);
  const signed = libraryVerdict(profile, key, lean, signature);
  if (signed !== bytes)
    throw new SamlError('SAML_CANONICAL_MISMATCH', 'the signature library signed other bytes than libxml2 sees');
  const document = parseCanonical(signed);
  try {
    // Parsing what was written must give what was parsed, or another reader could see another identity.
    if (canonicalDocument(document, profile.prefixes) !== signed)
      throw new SamlError('SAML_CANONICAL_MISMATCH', 'parsing is not stable');
  } catch (error) {
    document.dispose();
    throw error;
  }
  return { document, root: document.root, signedXml, [Symbol.dispose]: () => document.dispose() };
}
