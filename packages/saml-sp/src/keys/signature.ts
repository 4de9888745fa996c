import type { KeyObject } from 'node:crypto';
import { createHash } from 'node:crypto';
import type { XmlDocument, XmlElement } from 'libxml2-wasm';
import { type HashAlgorithm, type SignatureAlgorithm as LibraryAlgorithm, SignedXml } from 'xml-crypto';
import { SamlError } from '../errors.ts';
import { canonicalDocument, canonicalForm, isCanonicalForm } from '../xml/canonical-form.ts';
import { cutOut, spanOfChild, standingAlone, withDeclarations } from '../xml/canonical-text.ts';
import { acceptedCanonicalizations, exclusiveC14n, forLibrary } from '../xml/library-canonicalization.ts';
import { ns } from '../xml/names.ts';
import { parseCanonical } from '../xml/xml.ts';
import { digest, verifyRaw } from './algorithms.ts';
import { type ProfiledSignature, readSignature } from './signature-profile.ts';

/** Whose signatures are trusted, and which weak algorithms with them. */
export interface SignaturePolicy {
  /** Public keys from metadata, tried in order. The message's own KeyInfo is never used. */
  keys: readonly KeyObject[];
  /** Accept SHA-1 in signature and digest. Collisions are practical: only for a peer that cannot do better. */
  allowSha1: boolean;
}

/** An element whose signature was verified: its canonical bytes without the signature, parsed again. Dispose of it after use. */
export interface VerifiedElement extends Disposable {
  /** A separate document, made only from the bytes that were signed. */
  document: XmlDocument;
  /** Its root: read identity from here and nowhere else. */
  root: XmlElement;
  /** The element in canonical form with its signature, which can be passed on (RFC 7522). */
  signedXml: string;
}

/** xml-crypto has no ECDSA and no SHA-384: we supply the standard operations through its own extension point. */
const libraryAlgorithm = (profile: ProfiledSignature): (new () => LibraryAlgorithm) =>
  class {
    getAlgorithmName = (): string => profile.algorithmId;
    getSignature = (): string => {
      throw new Error('this algorithm only verifies');
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
  implementation: { createDocument(namespace: null, name: string): DomNode };
  childNodes: ArrayLike<DomNode>;
  localName?: string | null;
  namespaceURI?: string | null;
  cloneNode(deep: boolean): DomNode;
  appendChild(child: DomNode): DomNode;
}

/** Internal steps of the library, and what it has read of the Signature. */
interface LibrarySteps {
  signatureNode: DomNode | null;
  signedXml?: string;
  canonicalizationAlgorithm: string;
  signatureAlgorithm: string;
  signatureValue: string;
  getCanonSignedInfoXml(document: DomNode): string;
  getCanonXml(transforms: readonly string[], node: DomNode): string;
  validateReference(reference: { uri?: string }, document: DomNode): string | undefined;
  getCanonReferenceXml(document: DomNode, reference: { xpath?: string | undefined }, node: unknown): string;
  canonicalize(transforms: unknown, node: DomNode, options: unknown, how: { discardComments: boolean }): string;
  findLoadedSignature(node: DomNode): DomNode | null;
}

/** The only child of that name in XML Signature's namespace. */
function onlyChild(parent: DomNode | undefined, name: string): DomNode {
  const [found, second] = Array.from(parent?.childNodes ?? []).filter(
    child => child.localName === name && child.namespaceURI === ns.ds,
  );
  if (found === undefined || second !== undefined) throw new Error(`not exactly one ${name}`);
  return found;
}

/**
 * A document with only the root, without its contents, in which the library then looks for the element with the referenced ID. In
 * canonical form every ID is written `ID="…"`, so if that text occurs once, no other element can have the ID. If it occurs more
 * than once, even in a text, the result is undefined and the library searches the whole document.
 */
function rootAlone(document: DomNode, id: string, xml: string): DomNode | undefined {
  const written = `ID="${id}"`;
  const at = xml.indexOf(written);
  const root = document.documentElement;
  if (root === undefined || at === -1 || at > xml.indexOf('>') || xml.includes(written, at + 1)) return undefined;
  const alone = document.implementation.createDocument(null, '');
  alone.appendChild(root.cloneNode(false));
  return alone;
}

/**
 * Replaces slow steps of the library. It searches by XPath for the Signature's parts, for the referenced ID, for namespaces that
 * ancestors declare and for comments, and it copies the document before it removes the signature. Here it gets the root of its
 * own document in canonical form, parsed for this one verification, with one Signature child that conforms to the profile: the
 * parts are where the profile wants them, there are no ancestors or comments, and nobody else uses the document. If the ID may
 * occur twice, the library searches and copies.
 */
function withoutSearches(verifier: SignedXml, profile: ProfiledSignature): SignedXml {
  const steps = verifier as unknown as LibrarySteps;
  const { validateReference, getCanonReferenceXml, canonicalize } = steps;
  let whole: DomNode | undefined;
  steps.canonicalizationAlgorithm = exclusiveC14n;
  steps.signatureAlgorithm = profile.algorithmId;
  steps.signatureValue = Buffer.from(profile.signatureValue).toString('base64');
  steps.getCanonSignedInfoXml = document => {
    steps.signatureNode = onlyChild(document.documentElement, 'Signature');
    return steps.getCanonXml([exclusiveC14n], onlyChild(steps.signatureNode, 'SignedInfo'));
  };
  steps.validateReference = (reference, document) => {
    const alone = rootAlone(document, reference.uri?.slice(1) ?? '', steps.signedXml ?? '');
    whole = alone === undefined ? undefined : document;
    return validateReference.call(steps, reference, alone ?? document);
  };
  steps.getCanonReferenceXml = (searched, reference, found) => {
    const document = whole ?? searched;
    const node = whole === undefined ? found : whole.documentElement;
    if (node === document.documentElement) reference.xpath = undefined;
    return getCanonReferenceXml.call(steps, document, reference, node);
  };
  steps.canonicalize = (transforms, node, options) => {
    if (node === whole?.documentElement) node.cloneNode = () => node;
    return canonicalize.call(steps, transforms, node, options, { discardComments: false });
  };
  steps.findLoadedSignature = () => steps.signatureNode;
  return verifier;
}

/** A library instance that knows one algorithm of each kind and one spelling of ID: only the accepted ones. */
function restrictedVerifier(profile: ProfiledSignature, key: KeyObject): SignedXml {
  const verifier = new SignedXml({ publicCert: key as never, getCertFromKeyInfo: () => null });
  verifier.CanonicalizationAlgorithms = acceptedCanonicalizations(verifier.CanonicalizationAlgorithms);
  const builtIn = verifier.SignatureAlgorithms[profile.algorithmId];
  const ours = builtIn === undefined || profile.algorithm.pss;
  verifier.SignatureAlgorithms = { [profile.algorithmId]: ours ? libraryAlgorithm(profile) : builtIn };
  verifier.HashAlgorithms = { [profile.digestId]: verifier.HashAlgorithms[profile.digestId] ?? libraryHash(profile) };
  verifier.idAttributes = ['ID'];
  return withoutSearches(verifier, profile);
}

/** Lets the proven library decide. Returns exactly what it says was signed. */
function libraryVerdict(profile: ProfiledSignature, key: KeyObject, element: string): string {
  const verifier = restrictedVerifier(profile, key);
  try {
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
  /** The element without its signature: what was signed. */
  bytes: string;
  key: KeyObject;
}

/**
 * Cuts the signature out of the element's canonical form, and refuses forgeries along the way, long before the slow library runs:
 * first by the digest, which costs least, then by the signature with each key from the metadata. Exclusive canonicalization
 * writes nothing of an element into its siblings, so without the signature the rest stays the same, byte by byte.
 */
function prepare(profile: ProfiledSignature, signedXml: string, keys: readonly KeyObject[]): Prepared {
  const signature = spanOfChild(signedXml, 0, profile.place);
  const bytes = cutOut(signedXml, signature);
  if (!digest(profile.digestHash, bytes).equals(profile.digestValue)) {
    throw new SamlError('SAML_SIGNATURE_INVALID', 'the signed element was changed: its digest differs');
  }
  // KeyInfo, the third child, is never used and never signed: without it the library has less to read.
  const element = profile.hasKeyInfo ? cutOut(signedXml, spanOfChild(signedXml, signature.start, 2)) : signedXml;
  return { element, bytes, key: findKey(profile, signedInfoOf(element, signature.start), keys) };
}

/** The canonical form of SignedInfo, the first child of a Signature. */
function signedInfoOf(element: string, signature: number): string {
  const { start, end } = spanOfChild(element, signature, 0);
  const signedInfo = element.slice(start, end);
  const around = [element, element.slice(signature)];
  const alone = standingAlone(signedInfo, around);
  if (alone !== undefined) return alone;
  using document = parseCanonical(withDeclarations(signedInfo, around));
  return canonicalDocument(document);
}

/** The key from the metadata that made the signature over SignedInfo. */
function findKey(profile: ProfiledSignature, signedInfo: string, keys: readonly KeyObject[]): KeyObject {
  const data = Buffer.from(signedInfo);
  const key = keys.find(candidate => verifyRaw(profile.algorithm, candidate, data, profile.signatureValue));
  if (key === undefined) throw new SamlError('SAML_SIGNATURE_INVALID', 'no key of the metadata verifies the signature');
  return key;
}

/**
 * Verifies the enveloped signature of an element; undefined when there is none.
 *
 * Two verifications must agree: libxml2's canonical bytes with Node's crypto, which is fast and refuses forgeries, and
 * xml-crypto, which decides. What it says was signed must equal libxml2's canonical form byte for byte, and only those bytes,
 * parsed again, are returned.
 */
export function verifyEnvelopedSignature(element: XmlElement, policy: SignaturePolicy): VerifiedElement | undefined {
  const profile = readSignature(element, policy.allowSha1);
  if (profile === undefined) return undefined;
  const signedXml = canonicalForm(element, profile.prefixes);
  const { element: lean, bytes, key } = prepare(profile, signedXml, policy.keys);
  const signed = libraryVerdict(profile, key, lean);
  if (signed !== bytes)
    throw new SamlError('SAML_CANONICAL_MISMATCH', 'the signature library and libxml2 disagree about the signed bytes');
  const document = parseCanonical(signed);
  try {
    // Parsing the canonical form and writing it again must give the same text, or another parser could see another identity.
    if (!isCanonicalForm(document, signed, profile.prefixes))
      throw new SamlError('SAML_CANONICAL_MISMATCH', 'parsing the signed bytes again gives another document');
  } catch (error) {
    document.dispose();
    throw error;
  }
  return { document, root: document.root, signedXml, [Symbol.dispose]: () => document.dispose() };
}
