import { sign } from 'node:crypto';
import { type SignatureAlgorithm, SignedXml } from 'xml-crypto';
import type { LoadedKeyPair } from './key-material.ts';

const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const ecdsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256';

/** ECDSA for the library's extension point: raw r‖s, as XML Signature requires. */
const ecdsaSigner = (pair: LoadedKeyPair): (new () => SignatureAlgorithm) =>
  class {
    getAlgorithmName = (): string => ecdsaSha256;
    getSignature = (signedInfo: string): string =>
      sign('sha256', Buffer.from(signedInfo), { key: pair.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64');
    verifySignature = (): boolean => false;
  } as unknown as new () => SignatureAlgorithm;

/**
 * Signs the root of a document that we wrote: enveloped, exclusive canonicalization, SHA-256, the certificate in KeyInfo.
 * @param place after the Issuer in protocol messages, first in metadata (where the schemas want it)
 */
export function signXml(xml: string, pair: LoadedKeyPair, place: 'after-issuer' | 'first'): string {
  const isEc = pair.privateKey.asymmetricKeyType === 'ec';
  const signer = new SignedXml({
    privateKey: pair.privateKey as never,
    signatureAlgorithm: isEc ? ecdsaSha256 : rsaSha256,
    canonicalizationAlgorithm: 'http://www.w3.org/2001/10/xml-exc-c14n#',
    getKeyInfoContent: () => `<ds:X509Data><ds:X509Certificate>${pair.certificate}</ds:X509Certificate></ds:X509Data>`,
  });
  if (isEc) signer.SignatureAlgorithms = { [ecdsaSha256]: ecdsaSigner(pair) };
  signer.idAttributes = ['ID'];
  signer.addReference({
    xpath: '/*',
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', 'http://www.w3.org/2001/10/xml-exc-c14n#'],
  });
  const location =
    place === 'first'
      ? { reference: '/*', action: 'prepend' as const }
      : { reference: "/*/*[local-name()='Issuer']", action: 'after' as const };
  signer.computeSignature(xml, { prefix: 'ds', location });
  return signer.getSignedXml();
}
