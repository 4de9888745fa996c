import { bindings, ns } from '../../src/xml/names.ts';
import { type KeyName, testKey } from './keys.ts';
import { makeSignature, type SignOptions } from './signer.ts';
import { idp } from './world.ts';

/** The pieces of an identity provider's metadata; a fault replaces one. */
export interface MetadataPieces {
  attributes?: string;
  extensions?: string;
  keys?: string;
  sso?: string;
  slo?: string;
  roleAttributes?: string;
}

export const keyDescriptor = (name: KeyName, use = ' use="signing"'): string =>
  `<md:KeyDescriptor${use}><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${testKey(name).base64}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;

export const endpoint = (name: string, location: string, binding: string = bindings.redirect): string =>
  `<md:${name} Binding="${binding}" Location="${location}"/>`;

const namespaces = `xmlns:md="${ns.md}" xmlns:ds="${ns.ds}"`;

/** One EntityDescriptor. */
export function entity(pieces: MetadataPieces = {}, entityId: string = idp.entityId): string {
  return (
    `<md:EntityDescriptor ${namespaces} entityID="${entityId}"${pieces.attributes ?? ' ID="_md1"'}>${pieces.extensions ?? ''}` +
    `<md:IDPSSODescriptor protocolSupportEnumeration="${ns.samlp}"${pieces.roleAttributes ?? ''}>${pieces.keys ?? keyDescriptor('idp')}` +
    `${pieces.slo ?? endpoint('SingleLogoutService', idp.slo)}<md:NameIDFormat>urn:f</md:NameIDFormat>` +
    `${pieces.sso ?? endpoint('SingleSignOnService', idp.sso)}</md:IDPSSODescriptor></md:EntityDescriptor>`
  );
}

/** An aggregate. */
export const entities = (content: string, attributes = ' ID="_all"'): string =>
  `<md:EntitiesDescriptor ${namespaces}${attributes}>${content}</md:EntitiesDescriptor>`;

/** Signs the root: in metadata the signature comes first. */
export function signMetadata(xml: string, options: SignOptions = {}): string {
  const id = /\sID="([^"]*)"/.exec(xml)?.[1] ?? '';
  const at = xml.indexOf('>') + 1;
  return xml.slice(0, at) + makeSignature(xml, id, options) + xml.slice(at);
}
