import { SamlError } from '../errors.ts';
import { digest } from '../keys/algorithms.ts';
import { signXml } from '../keys/signing.ts';
import { writeInstant } from '../values/instant.ts';
import { flag, listOf, misfit, number, oneOf, optional, type Reader, readShape, shape, text } from '../values/shape.ts';
import { bindings, ns } from '../xml/names.ts';
import { escapeXml } from '../xml/xml.ts';
import type { Configuration } from './configuration.ts';

/** Options of our metadata beyond the configuration. */
export interface MetadataOptions {
  /** How long it is valid, in seconds; it becomes validUntil. */
  validForSeconds?: number;
  /** How long it may be cached, in seconds. */
  cacheForSeconds?: number;
  /** Sign it with the first signing key. */
  sign?: boolean;
  nameIdFormats?: readonly string[];
  /** Which subject identifier we need (saml-subject-id-attr-v1.0 2.3). */
  subjectId?: 'subject-id' | 'pairwise-id' | 'none' | 'any';
  /** How we want to be shown to people who sign in, by language tag. */
  display?: {
    names?: Readonly<Record<string, string>>;
    descriptions?: Readonly<Record<string, string>>;
    informationUrls?: Readonly<Record<string, string>>;
    privacyUrls?: Readonly<Record<string, string>>;
    logos?: readonly { url: string; width: number; height: number; language?: string }[];
  };
  /** The organization that runs this, by language tag. */
  organization?: {
    names: Readonly<Record<string, string>>;
    displayNames: Readonly<Record<string, string>>;
    urls: Readonly<Record<string, string>>;
  };
  contacts?: readonly {
    type: 'technical' | 'support' | 'administrative' | 'billing' | 'other';
    company?: string;
    givenName?: string;
    surname?: string;
    emails?: readonly string[];
    telephones?: readonly string[];
  }[];
  /** The attributes we request, and the name of the service they are for, by language tag. */
  requestedAttributes?: {
    serviceNames: Readonly<Record<string, string>>;
    attributes: readonly { name: string; friendlyName?: string; nameFormat?: string; required?: boolean }[];
  };
}

const byLanguage: Reader<Record<string, string>> = (value, path) =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(
    ([tag, one]) => /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(tag) && typeof one === 'string' && one !== '',
  )
    ? (value as Record<string, string>)
    : misfit(path, 'texts by language tag', value);

const optionsReader = shape({
  validForSeconds: optional(number(1, 3_153_600_000)),
  cacheForSeconds: optional(number(1, 3_153_600_000)),
  sign: optional(flag),
  nameIdFormats: optional(listOf(text(), 'URIs', 50)),
  subjectId: optional(oneOf('subject-id', 'pairwise-id', 'none', 'any')),
  display: optional(
    shape({
      names: optional(byLanguage),
      descriptions: optional(byLanguage),
      informationUrls: optional(byLanguage),
      privacyUrls: optional(byLanguage),
      logos: optional(
        listOf(
          shape({ url: text(), width: number(1, 10_000), height: number(1, 10_000), language: optional(text()) }),
          'logos',
          50,
        ),
      ),
    }),
  ),
  organization: optional(shape({ names: byLanguage, displayNames: byLanguage, urls: byLanguage })),
  contacts: optional(
    listOf(
      shape({
        type: oneOf('technical', 'support', 'administrative', 'billing', 'other'),
        company: optional(text()),
        givenName: optional(text()),
        surname: optional(text()),
        emails: optional(listOf(text(), 'addresses', 20)),
        telephones: optional(listOf(text(), 'numbers', 20)),
      }),
      'contacts',
      50,
    ),
  ),
  requestedAttributes: optional(
    shape({
      serviceNames: byLanguage,
      attributes: listOf(
        shape({ name: text(), friendlyName: optional(text()), nameFormat: optional(text()), required: optional(flag) }),
        'attributes',
        200,
      ),
    }),
  ),
}) as unknown as Reader<MetadataOptions>;

const localized = (name: string, texts: Readonly<Record<string, string>> | undefined): string =>
  Object.entries(texts ?? {})
    .map(([tag, one]) => `<${name} xml:lang="${escapeXml(tag)}">${escapeXml(one)}</${name}>`)
    .join('');

const listed = (name: string, texts: readonly string[] | undefined): string =>
  (texts ?? []).map(one => `<${name}>${escapeXml(one)}</${name}>`).join('');

function renderDisplay(display: MetadataOptions['display']): string {
  if (display === undefined) return '';
  const logos = (display.logos ?? []).map(({ url, width, height, language }) => {
    const tag = language === undefined ? '' : ` xml:lang="${escapeXml(language)}"`;
    return `<mdui:Logo height="${height}" width="${width}"${tag}>${escapeXml(url)}</mdui:Logo>`;
  });
  return (
    `<mdui:UIInfo xmlns:mdui="${ns.mdui}">${localized('mdui:DisplayName', display.names)}${localized('mdui:Description', display.descriptions)}` +
    `${logos.join('')}${localized('mdui:InformationURL', display.informationUrls)}${localized('mdui:PrivacyStatementURL', display.privacyUrls)}</mdui:UIInfo>`
  );
}

function renderOrganization(organization: MetadataOptions['organization']): string {
  if (organization === undefined) return '';
  const parts =
    localized('md:OrganizationName', organization.names) + localized('md:OrganizationDisplayName', organization.displayNames);
  return `<md:Organization>${parts}${localized('md:OrganizationURL', organization.urls)}</md:Organization>`;
}

const renderContact = (contact: NonNullable<MetadataOptions['contacts']>[number]): string =>
  `<md:ContactPerson contactType="${contact.type}">${listed('md:Company', contact.company === undefined ? [] : [contact.company])}` +
  `${listed('md:GivenName', contact.givenName === undefined ? [] : [contact.givenName])}${listed('md:SurName', contact.surname === undefined ? [] : [contact.surname])}` +
  `${listed(
    'md:EmailAddress',
    contact.emails?.map(one => (one.startsWith('mailto:') ? one : `mailto:${one}`)),
  )}${listed('md:TelephoneNumber', contact.telephones)}</md:ContactPerson>`;

const uriFormat = 'urn:oasis:names:tc:SAML:2.0:attrname-format:uri';

function renderRequestedAttributes(requested: MetadataOptions['requestedAttributes']): string {
  if (requested === undefined) return '';
  const attributes = requested.attributes.map(({ name, friendlyName, nameFormat, required }) => {
    const friendly = friendlyName === undefined ? '' : ` FriendlyName="${escapeXml(friendlyName)}"`;
    const demanded = required === undefined ? '' : ` isRequired="${required}"`;
    return `<md:RequestedAttribute Name="${escapeXml(name)}" NameFormat="${escapeXml(nameFormat ?? uriFormat)}"${friendly}${demanded}/>`;
  });
  return `<md:AttributeConsumingService index="1" isDefault="true">${localized('md:ServiceName', requested.serviceNames)}${attributes.join('')}</md:AttributeConsumingService>`;
}

const keyDescriptor = (use: 'signing' | 'encryption', certificate: string, methods: readonly string[] = []): string =>
  `<md:KeyDescriptor use="${use}"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>` +
  `${methods.map(method => `<md:EncryptionMethod Algorithm="${method}"/>`).join('')}</md:KeyDescriptor>`;

/** The algorithms that an identity provider may use to encrypt to us, in order of preference (IIP-MD09). */
const encryptionMethods = [
  'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'http://www.w3.org/2009/xmlenc11#rsa-oaep',
  'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
];

const algorithmSupport =
  `<alg:DigestMethod xmlns:alg="urn:oasis:names:tc:SAML:metadata:algsupport" Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/>` +
  `<alg:SigningMethod xmlns:alg="urn:oasis:names:tc:SAML:metadata:algsupport" Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>` +
  `<alg:SigningMethod xmlns:alg="urn:oasis:names:tc:SAML:metadata:algsupport" Algorithm="http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"/>`;

/** The entity attribute that signals the requirement of the subject identifier profile. */
const subjectIdRequirement = (wanted: MetadataOptions['subjectId']): string =>
  wanted === undefined
    ? ''
    : `<mdattr:EntityAttributes xmlns:mdattr="${ns.mdattr}"><saml:Attribute xmlns:saml="${ns.saml}" Name="urn:oasis:names:tc:SAML:profiles:subject-id:req" NameFormat="${uriFormat}"><saml:AttributeValue>${wanted}</saml:AttributeValue></saml:Attribute></mdattr:EntityAttributes>`;

const logoutServices = (url: string): string =>
  [bindings.redirect, bindings.post, bindings.soap]
    .map(binding => `<md:SingleLogoutService Binding="${binding}" Location="${escapeXml(url)}"/>`)
    .join('');

const discoveryResponse = (url: string): string =>
  `<idpdisc:DiscoveryResponse xmlns:idpdisc="${ns.idpdisc}" index="0" Binding="${ns.idpdisc}" Location="${escapeXml(url)}"/>`;

/** The same configuration gives the same ID; a copy that changed has another one. */
const idOf = (body: string): string => `_${digest('sha256', body).toString('hex').slice(0, 40)}`;

/** Their indexes follow the others, so that enabling artifacts changes no index that a provider has stored. */
const consumersByArtifact = ({ artifactResolution, assertionConsumerServiceUrls: urls }: Configuration): string =>
  artifactResolution === undefined
    ? ''
    : urls
        .map((url, at) => {
          const index = urls.length * 2 + at;
          return `<md:AssertionConsumerService Binding="${bindings.artifact}" Location="${escapeXml(url)}" index="${index}"/>`;
        })
        .join('');

function renderBody(configuration: Configuration, options: MetadataOptions): string {
  const { signingKeys, decryptionKeys, singleLogoutServiceUrl, discoveryResponseUrl } = configuration;
  const consumers = configuration.assertionConsumerServiceUrls.map(escapeXml);
  const extensions =
    renderDisplay(options.display) + (discoveryResponseUrl === undefined ? '' : discoveryResponse(discoveryResponseUrl));
  return (
    `<md:Extensions>${subjectIdRequirement(options.subjectId)}${algorithmSupport}</md:Extensions>` +
    `<md:SPSSODescriptor AuthnRequestsSigned="${signingKeys.length > 0}" WantAssertionsSigned="true" protocolSupportEnumeration="${ns.samlp}">` +
    (extensions === '' ? '' : `<md:Extensions>${extensions}</md:Extensions>`) +
    signingKeys.map(key => keyDescriptor('signing', key.certificate)).join('') +
    decryptionKeys.map(key => keyDescriptor('encryption', key.certificate, encryptionMethods)).join('') +
    (singleLogoutServiceUrl === undefined ? '' : logoutServices(singleLogoutServiceUrl)) +
    (options.nameIdFormats ?? []).map(format => `<md:NameIDFormat>${escapeXml(format)}</md:NameIDFormat>`).join('') +
    consumers
      .flatMap((acs, at) => [
        `<md:AssertionConsumerService Binding="${bindings.post}" Location="${acs}" index="${at * 2}"${at === 0 ? ' isDefault="true"' : ''}/>`,
        `<md:AssertionConsumerService Binding="${bindings.paos}" Location="${acs}" index="${at * 2 + 1}"/>`,
      ])
      .join('') +
    consumersByArtifact(configuration) +
    `${renderRequestedAttributes(options.requestedAttributes)}</md:SPSSODescriptor>` +
    renderOrganization(options.organization) +
    (options.contacts ?? []).map(renderContact).join('')
  );
}

/** Writes our metadata: every signing and encryption key (two at a time during a rollover), ACS, SLO, algorithms. */
export function renderMetadata(configuration: Configuration, given: MetadataOptions = {}): string {
  const options = readShape(given, 'options', optionsReader);
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
