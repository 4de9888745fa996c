import { digest } from './algorithms.ts';
import type { Configuration } from './configuration.ts';
import { SamlError } from './errors.ts';
import { writeInstant } from './instant.ts';
import { bindings, ns } from './names.ts';
import { signXml } from './signing.ts';
import { escapeXml } from './xml.ts';

/** What our metadata may say beyond the configuration. */
export interface MetadataOptions {
  /** How long it may be believed, in seconds; it becomes validUntil. */
  validForSeconds?: number;
  /** How long it may be cached, in seconds. */
  cacheForSeconds?: number;
  /** Sign it with the first signing key. */
  sign?: boolean;
  nameIdFormats?: readonly string[];
}

const keyDescriptor = (use: 'signing' | 'encryption', certificate: string, methods: readonly string[] = []): string =>
  `<md:KeyDescriptor use="${use}"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>` +
  `${methods.map(method => `<md:EncryptionMethod Algorithm="${method}"/>`).join('')}</md:KeyDescriptor>`;

/** What an identity provider may encrypt to us with, best first (IIP-MD09). */
const encryptionMethods = [
  'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'http://www.w3.org/2009/xmlenc11#rsa-oaep',
  'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
];

const algorithmSupport =
  `<md:Extensions xmlns:alg="urn:oasis:names:tc:SAML:metadata:algsupport">` +
  `<alg:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/>` +
  `<alg:SigningMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>` +
  `<alg:SigningMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"/></md:Extensions>`;

const logoutServices = (url: string): string =>
  [bindings.redirect, bindings.post, bindings.soap]
    .map(binding => `<md:SingleLogoutService Binding="${binding}" Location="${escapeXml(url)}"/>`)
    .join('');

const discoveryResponse = (url: string): string =>
  `<md:Extensions><idpdisc:DiscoveryResponse xmlns:idpdisc="${ns.idpdisc}" index="0" Binding="${ns.idpdisc}" Location="${escapeXml(url)}"/></md:Extensions>`;

/** Same configuration, same ID: a copy that changed has another one. */
const idOf = (body: string): string => `_${digest('sha256', body).toString('hex').slice(0, 40)}`;

function renderBody(configuration: Configuration, options: MetadataOptions): string {
  const { signingKeys, decryptionKeys, singleLogoutServiceUrl, discoveryResponseUrl, assertionConsumerServiceUrl } =
    configuration;
  const acs = escapeXml(assertionConsumerServiceUrl);
  return (
    algorithmSupport +
    `<md:SPSSODescriptor AuthnRequestsSigned="${signingKeys.length > 0}" WantAssertionsSigned="true" protocolSupportEnumeration="${ns.samlp}">` +
    (discoveryResponseUrl === undefined ? '' : discoveryResponse(discoveryResponseUrl)) +
    signingKeys.map(key => keyDescriptor('signing', key.certificate)).join('') +
    decryptionKeys.map(key => keyDescriptor('encryption', key.certificate, encryptionMethods)).join('') +
    (singleLogoutServiceUrl === undefined ? '' : logoutServices(singleLogoutServiceUrl)) +
    (options.nameIdFormats ?? []).map(format => `<md:NameIDFormat>${escapeXml(format)}</md:NameIDFormat>`).join('') +
    `<md:AssertionConsumerService Binding="${bindings.post}" Location="${acs}" index="0" isDefault="true"/>` +
    `<md:AssertionConsumerService Binding="${bindings.paos}" Location="${acs}" index="1"/></md:SPSSODescriptor>`
  );
}

/** Writes our metadata: every signing and encryption key (two at a time while keys roll over), ACS, SLO, algorithms. */
export function renderMetadata(configuration: Configuration, options: MetadataOptions = {}): string {
  const body = renderBody(configuration, options);
  const until = options.validForSeconds;
  const validUntil =
    until === undefined ? '' : ` validUntil="${writeInstant(new Date(configuration.now().getTime() + until * 1000))}"`;
  const cache = options.cacheForSeconds === undefined ? '' : ` cacheDuration="PT${Math.round(options.cacheForSeconds)}S"`;
  const xml =
    `<md:EntityDescriptor xmlns:md="${ns.md}" xmlns:ds="${ns.ds}" ID="${idOf(configuration.entityId + body)}"` +
    ` entityID="${escapeXml(configuration.entityId)}"${validUntil}${cache}>${body}</md:EntityDescriptor>`;
  if (options.sign !== true) return xml;
  const [key] = configuration.signingKeys;
  if (key === undefined) throw new SamlError('SAML_CONFIG_INVALID', 'metadata cannot be signed without a signing key');
  return signXml(xml, key, 'first');
}
