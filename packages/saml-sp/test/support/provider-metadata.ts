import { bindings, ns } from '../../src/xml/names.ts';
import { testKey } from './keys.ts';

/**
 * Metadata in the shapes that products publish, made from their documents with keys and names of our own. What is odd about
 * each is what its maker does: which namespaces, which roles, which order, which optional parts.
 */
export interface ProviderShape {
  product: string;
  xml: string;
  entityId: string;
  /** Address of single sign-on by Redirect, or by POST where there is no other. */
  sso: string;
  signingKeys: number;
  encryptionKeys: number;
  logout: number;
  wantAuthnRequestsSigned?: boolean;
}

const certificate = (name: 'idp' | 'idp-next' | 'other', width = 0): string =>
  width === 0 ? testKey(name).base64 : `\n${testKey(name).base64.replace(new RegExp(`.{${width}}`, 'g'), '$&\n')}\n`;
const post = bindings.post;
const redirect = bindings.redirect;
const soap = bindings.soap;
const artifact = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact';
const format = (name: string): string => `urn:oasis:names:tc:SAML:${name}`;

/** WS-Federation roles as Entra ID and AD FS write them: types of a schema that no SAML reader has. */
const wsFederation = (type: string, address: string, key: string): string =>
  `<RoleDescriptor xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:fed="http://docs.oasis-open.org/wsfed/federation/200706" xsi:type="fed:${type}" protocolSupportEnumeration="http://docs.oasis-open.org/wsfed/federation/200706">` +
  `<KeyDescriptor use="signing"><KeyInfo xmlns="${ns.ds}"><X509Data><X509Certificate>${key}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>` +
  `<fed:ClaimTypesOffered><auth:ClaimType xmlns:auth="http://docs.oasis-open.org/wsfed/authorization/200706" Uri="http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name"><auth:DisplayName>Name</auth:DisplayName></auth:ClaimType></fed:ClaimTypesOffered>` +
  `<fed:PassiveRequestorEndpoint><wsa:EndpointReference xmlns:wsa="http://www.w3.org/2005/08/addressing"><wsa:Address>${address}</wsa:Address></wsa:EndpointReference></fed:PassiveRequestorEndpoint></RoleDescriptor>`;

const plainKey = (key: string, use = ' use="signing"'): string =>
  `<KeyDescriptor${use}><KeyInfo xmlns="${ns.ds}"><X509Data><X509Certificate>${key}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`;
const key = (value: string, use = ' use="signing"'): string =>
  `<md:KeyDescriptor${use}><ds:KeyInfo xmlns:ds="${ns.ds}"><ds:X509Data><ds:X509Certificate>${value}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;

const entra = 'https://login.example.org/0a1b2c3d-0000-4000-8000-00000000000e';
const adfs = 'https://adfs.example.org';
const shib = 'https://idp.example.org/idp';
const keycloak = 'https://keycloak.example.org/realms/staff';
const ssp = 'https://ssp.example.org/simplesaml';
const ping = 'https://ping.example.org';
const llng = 'https://auth.example.org';

export const providerShapes: ProviderShape[] = [
  {
    product: 'Microsoft Entra ID',
    entityId: 'https://sts.example.org/0a1b2c3d-0000-4000-8000-00000000000e/',
    sso: `${entra}/saml2`,
    signingKeys: 2,
    encryptionKeys: 0,
    logout: 1,
    xml:
      `\ufeff<?xml version="1.0" encoding="utf-8"?><EntityDescriptor ID="_7d0c2f5e-1111-4222-8333-444455556666" entityID="https://sts.example.org/0a1b2c3d-0000-4000-8000-00000000000e/" xmlns="${ns.md}">` +
      wsFederation('SecurityTokenServiceType', `${entra}/wsfed`, certificate('idp')) +
      wsFederation('ApplicationServiceType', `${entra}/wsfed`, certificate('idp')) +
      `<IDPSSODescriptor protocolSupportEnumeration="${ns.samlp}">${plainKey(certificate('idp'))}${plainKey(certificate('idp-next'))}` +
      `<SingleLogoutService Binding="${redirect}" Location="${entra}/saml2"/><SingleSignOnService Binding="${redirect}" Location="${entra}/saml2"/>` +
      `<SingleSignOnService Binding="${post}" Location="${entra}/saml2"/></IDPSSODescriptor></EntityDescriptor>`,
  },
  {
    product: 'AD FS',
    entityId: 'http://adfs.example.org/adfs/services/trust',
    sso: `${adfs}/adfs/ls/`,
    signingKeys: 1,
    encryptionKeys: 1,
    logout: 2,
    xml:
      `<EntityDescriptor ID="_b1" entityID="http://adfs.example.org/adfs/services/trust" xmlns="${ns.md}">` +
      wsFederation('ApplicationServiceType', `${adfs}/adfs/ls/`, certificate('idp')) +
      wsFederation('SecurityTokenServiceType', `${adfs}/adfs/ls/`, certificate('idp')) +
      `<SPSSODescriptor WantAssertionsSigned="true" protocolSupportEnumeration="${ns.samlp}">${plainKey(certificate('other'), ' use="encryption"')}` +
      `<AssertionConsumerService Binding="${post}" Location="${adfs}/adfs/ls/" index="0" isDefault="true"/></SPSSODescriptor>` +
      `<IDPSSODescriptor protocolSupportEnumeration="${ns.samlp}">${plainKey(certificate('other'), ' use="encryption"')}${plainKey(certificate('idp'))}` +
      `<SingleLogoutService Binding="${redirect}" Location="${adfs}/adfs/ls/"/><SingleLogoutService Binding="${post}" Location="${adfs}/adfs/ls/"/>` +
      `<NameIDFormat>${format('1.1:nameid-format:emailAddress')}</NameIDFormat><SingleSignOnService Binding="${redirect}" Location="${adfs}/adfs/ls/"/><SingleSignOnService Binding="${post}" Location="${adfs}/adfs/ls/"/>` +
      `<Attribute Name="http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress" NameFormat="${format('2.0:attrname-format:uri')}" FriendlyName="E-Mail Address" xmlns="${ns.saml}"/></IDPSSODescriptor>` +
      `<ContactPerson contactType="support"/></EntityDescriptor>`,
  },
  {
    product: 'Google Workspace',
    entityId: 'https://accounts.example.org/o/saml2?idpid=C00example',
    sso: 'https://accounts.example.org/o/saml2/idp?idpid=C00example',
    signingKeys: 1,
    encryptionKeys: 0,
    logout: 0,
    wantAuthnRequestsSigned: false,
    xml:
      `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<md:EntityDescriptor xmlns:md="${ns.md}" entityID="https://accounts.example.org/o/saml2?idpid=C00example" validUntil="2031-11-19T12:00:00.000Z">\n` +
      `  <md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${ns.samlp}">\n    ${key(certificate('idp', 64))}\n` +
      `    <md:NameIDFormat>${format('1.1:nameid-format:emailAddress')}</md:NameIDFormat>\n    <md:SingleSignOnService Binding="${redirect}" Location="https://accounts.example.org/o/saml2/idp?idpid=C00example"/>\n` +
      `    <md:SingleSignOnService Binding="${post}" Location="https://accounts.example.org/o/saml2/idp?idpid=C00example"/>\n  </md:IDPSSODescriptor>\n</md:EntityDescriptor>\n`,
  },
  {
    product: 'Okta',
    entityId: 'http://www.example.org/exk1example',
    sso: 'https://dev-1.example.org/app/example/exk1example/sso/saml',
    signingKeys: 1,
    encryptionKeys: 0,
    logout: 0,
    wantAuthnRequestsSigned: false,
    xml:
      `<?xml version="1.0" encoding="UTF-8"?><md:EntityDescriptor entityID="http://www.example.org/exk1example" xmlns:md="${ns.md}"><md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${ns.samlp}">${key(certificate('idp', 64))}` +
      `<md:NameIDFormat>${format('1.1:nameid-format:unspecified')}</md:NameIDFormat><md:NameIDFormat>${format('1.1:nameid-format:emailAddress')}</md:NameIDFormat>` +
      `<md:SingleSignOnService Binding="${post}" Location="https://dev-1.example.org/app/example/exk1example/sso/saml"/><md:SingleSignOnService Binding="${redirect}" Location="https://dev-1.example.org/app/example/exk1example/sso/saml"/></md:IDPSSODescriptor></md:EntityDescriptor>`,
  },
  {
    product: 'Shibboleth IdP',
    entityId: `${shib}/shibboleth`,
    sso: `${shib}/profile/SAML2/Redirect/SSO`,
    signingKeys: 2,
    encryptionKeys: 1,
    logout: 3,
    xml:
      `<?xml version="1.0" encoding="UTF-8"?>\n<!--\n     This is example metadata only. Do *NOT* supply it as is without review,\n     and do *NOT* provide it in real time to your partners.\n -->\n` +
      `<EntityDescriptor  xmlns="${ns.md}" xmlns:ds="${ns.ds}" xmlns:shibmd="${ns.shibmd}" xmlns:xml="http://www.w3.org/XML/1998/namespace" xmlns:mdui="${ns.mdui}" xmlns:req-attr="urn:oasis:names:tc:SAML:protocol:ext:req-attr" validUntil="2026-12-01T12:00:00.123Z" entityID="${shib}/shibboleth">\n` +
      `  <IDPSSODescriptor protocolSupportEnumeration="${ns.samlp} urn:oasis:names:tc:SAML:1.1:protocol urn:mace:shibboleth:1.0" req-attr:supportsRequestedAttributes="true">\n    <Extensions>\n      <shibmd:Scope regexp="false">example.org</shibmd:Scope>\n` +
      `      <!--\n      Fill in the details for your IdP here \n\n      <mdui:UIInfo>\n        <mdui:DisplayName xml:lang="en">A Name</mdui:DisplayName>\n      </mdui:UIInfo>\n      -->\n    </Extensions>\n` +
      `    <!-- First signing certificate is BackChannel, the Second is FrontChannel -->\n${['idp', 'idp-next'].map(name => `    <KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate(name as 'idp', 64)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>`).join('\n')}\n` +
      `    <KeyDescriptor use="encryption"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate('other', 64)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>\n` +
      `    <ArtifactResolutionService Binding="${soap}" Location="https://idp.example.org:8443/idp/profile/SAML2/SOAP/ArtifactResolution" index="2"/>\n` +
      `    <!--\n    <SingleLogoutService Binding="${redirect}" Location="http://disabled.example.org"/>\n    -->\n` +
      `${[redirect, post, soap].map(binding => `    <SingleLogoutService Binding="${binding}" Location="${shib}/profile/SAML2/SLO"/>`).join('\n')}\n` +
      `    <SingleSignOnService Binding="urn:mace:shibboleth:1.0:profiles:AuthnRequest" Location="${shib}/profile/Shibboleth/SSO"/>\n    <SingleSignOnService Binding="${post}" Location="${shib}/profile/SAML2/POST/SSO"/>\n    <SingleSignOnService Binding="${redirect}" Location="${shib}/profile/SAML2/Redirect/SSO"/>\n  </IDPSSODescriptor>\n` +
      `  <AttributeAuthorityDescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:1.1:protocol"><AttributeService Binding="urn:oasis:names:tc:SAML:1.0:bindings:SOAP-binding" Location="https://idp.example.org:8443/idp/profile/SAML1/SOAP/AttributeQuery"/></AttributeAuthorityDescriptor>\n</EntityDescriptor>`,
  },
  {
    product: 'Keycloak',
    entityId: keycloak,
    sso: `${keycloak}/protocol/saml`,
    signingKeys: 1,
    encryptionKeys: 0,
    logout: 4,
    wantAuthnRequestsSigned: true,
    xml:
      `<md:EntityDescriptor xmlns="${ns.md}" xmlns:md="${ns.md}" xmlns:saml="${ns.saml}" xmlns:ds="${ns.ds}" cacheDuration="P0Y0M0DT0H10M0.000S" entityID="${keycloak}"><md:IDPSSODescriptor WantAuthnRequestsSigned="true" protocolSupportEnumeration="${ns.samlp}">` +
      `<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:KeyName>kid-example</ds:KeyName><ds:X509Data><ds:X509Certificate>${certificate('idp')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>` +
      `<md:ArtifactResolutionService Binding="${soap}" Location="${keycloak}/protocol/saml/resolve" index="0"></md:ArtifactResolutionService>` +
      `${[post, redirect, artifact, soap].map(binding => `<md:SingleLogoutService Binding="${binding}" Location="${keycloak}/protocol/saml"></md:SingleLogoutService>`).join('')}` +
      `${['2.0:nameid-format:persistent', '2.0:nameid-format:transient', '1.1:nameid-format:unspecified', '1.1:nameid-format:emailAddress'].map(name => `<md:NameIDFormat>${format(name)}</md:NameIDFormat>`).join('')}` +
      `${[post, redirect, soap, artifact].map(binding => `<md:SingleSignOnService Binding="${binding}" Location="${keycloak}/protocol/saml"></md:SingleSignOnService>`).join('')}</md:IDPSSODescriptor></md:EntityDescriptor>`,
  },
  {
    product: 'SimpleSAMLphp',
    entityId: `${ssp}/saml2/idp/metadata.php`,
    sso: `${ssp}/saml2/idp/SSOService.php`,
    signingKeys: 1,
    encryptionKeys: 1,
    logout: 1,
    xml:
      `<?xml version="1.0"?>\n<md:EntityDescriptor xmlns:md="${ns.md}" xmlns:ds="${ns.ds}" entityID="${ssp}/saml2/idp/metadata.php"><md:IDPSSODescriptor protocolSupportEnumeration="${ns.samlp}">${key(certificate('idp'))}${key(certificate('idp'), ' use="encryption"')}` +
      `<md:SingleLogoutService Binding="${redirect}" Location="${ssp}/saml2/idp/SingleLogoutService.php"/><md:NameIDFormat>${format('2.0:nameid-format:transient')}</md:NameIDFormat><md:SingleSignOnService Binding="${redirect}" Location="${ssp}/saml2/idp/SSOService.php"/></md:IDPSSODescriptor>` +
      `<md:ContactPerson contactType="technical"><md:GivenName>Administrator</md:GivenName><md:EmailAddress>mailto:na@example.org</md:EmailAddress></md:ContactPerson></md:EntityDescriptor>`,
  },
  {
    product: 'PingFederate',
    entityId: 'ping-staff',
    sso: `${ping}/idp/SSO.saml2`,
    signingKeys: 1,
    encryptionKeys: 0,
    logout: 2,
    wantAuthnRequestsSigned: false,
    xml:
      `<md:EntityDescriptor ID="aBcD.eFgH" cacheDuration="PT1440M" entityID="ping-staff" xmlns:md="${ns.md}"><md:IDPSSODescriptor protocolSupportEnumeration="${ns.samlp}" WantAuthnRequestsSigned="false">${key(certificate('idp', 76))}` +
      `${[redirect, post].map(binding => `<md:SingleLogoutService Binding="${binding}" Location="${ping}/idp/SLO.saml2"/>`).join('')}<md:NameIDFormat>${format('1.1:nameid-format:unspecified')}</md:NameIDFormat>` +
      `${[redirect, post, artifact, soap].map(binding => `<md:SingleSignOnService Binding="${binding}" Location="${ping}/idp/SSO.saml2"/>`).join('')}` +
      `<saml:Attribute Name="mail" NameFormat="${format('2.0:attrname-format:basic')}" xmlns:saml="${ns.saml}"/></md:IDPSSODescriptor><md:ContactPerson contactType="administrative"><md:Company>Example</md:Company></md:ContactPerson></md:EntityDescriptor>`,
  },
  {
    product: 'OneLogin',
    entityId: 'https://app.example.org/saml/metadata/0e1f2a3b-0000-4000-8000-000000000001',
    sso: 'https://example.example.org/trust/saml2/http-redirect/sso/0e1f2a3b',
    signingKeys: 1,
    encryptionKeys: 0,
    logout: 1,
    xml:
      `<?xml version="1.0"?>\n<EntityDescriptor xmlns="${ns.md}" entityID="https://app.example.org/saml/metadata/0e1f2a3b-0000-4000-8000-000000000001">\n  <IDPSSODescriptor xmlns:ds="${ns.ds}" protocolSupportEnumeration="${ns.samlp}">\n` +
      `    <KeyDescriptor use="signing">\n      <ds:KeyInfo xmlns:ds="${ns.ds}">\n        <ds:X509Data>\n          <ds:X509Certificate>${certificate('idp', 64)}</ds:X509Certificate>\n        </ds:X509Data>\n      </ds:KeyInfo>\n    </KeyDescriptor>\n` +
      `    <SingleLogoutService Binding="${redirect}" Location="https://example.example.org/trust/saml2/http-redirect/slo/1"/>\n    <NameIDFormat>${format('1.1:nameid-format:emailAddress')}</NameIDFormat>\n` +
      `    <SingleSignOnService Binding="${redirect}" Location="https://example.example.org/trust/saml2/http-redirect/sso/0e1f2a3b"/>\n    <SingleSignOnService Binding="${post}" Location="https://example.example.org/trust/saml2/http-post/sso/0e1f2a3b"/>\n  </IDPSSODescriptor>\n</EntityDescriptor>\n`,
  },
  {
    product: 'Salesforce',
    entityId: 'https://example.my.example.org',
    sso: 'https://example.my.example.org/idp/endpoint/HttpRedirect',
    signingKeys: 1,
    encryptionKeys: 0,
    logout: 2,
    xml:
      `<?xml version="1.0" encoding="UTF-8"?><md:EntityDescriptor xmlns:md="${ns.md}" entityID="https://example.my.example.org" validUntil="2036-11-20T12:00:00.000Z" xmlns:ds="${ns.ds}">\n   <md:IDPSSODescriptor protocolSupportEnumeration="${ns.samlp}">\n      ${key(certificate('idp'))}\n` +
      `${[redirect, post].map(binding => `      <md:SingleLogoutService Binding="${binding}" Location="https://example.my.example.org/services/auth/idp/saml2/logout"/>`).join('\n')}\n      <md:NameIDFormat>${format('1.1:nameid-format:unspecified')}</md:NameIDFormat>\n` +
      `      <md:SingleSignOnService Binding="${post}" Location="https://example.my.example.org/idp/endpoint/HttpPost"/>\n      <md:SingleSignOnService Binding="${redirect}" Location="https://example.my.example.org/idp/endpoint/HttpRedirect"/>\n   </md:IDPSSODescriptor>\n</md:EntityDescriptor>`,
  },
  {
    product: 'LemonLDAP::NG',
    entityId: `${llng}/saml/metadata`,
    sso: `${llng}/saml/singleSignOn`,
    signingKeys: 1,
    encryptionKeys: 0,
    logout: 3,
    wantAuthnRequestsSigned: true,
    xml:
      `<?xml version="1.0" encoding="UTF-8"?>\n<EntityDescriptor xmlns="${ns.md}" xmlns:ds="${ns.ds}" entityID="${llng}/saml/metadata">\n  <IDPSSODescriptor WantAuthnRequestsSigned="true" protocolSupportEnumeration="${ns.samlp}">\n` +
      `    <KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="${ns.ds}"><ds:KeyValue><ds:RSAKeyValue>${rsaKeyValue()}</ds:RSAKeyValue></ds:KeyValue></ds:KeyInfo></KeyDescriptor>\n` +
      `    <ArtifactResolutionService isDefault="true" index="0" Binding="${soap}" Location="${llng}/saml/artifact"/>\n    <SingleLogoutService Binding="${soap}" Location="${llng}/saml/singleLogoutSOAP"/>\n` +
      `${[redirect, post].map(binding => `    <SingleLogoutService Binding="${binding}" Location="${llng}/saml/singleLogout" ResponseLocation="${llng}/saml/singleLogoutReturn"/>`).join('\n')}\n    <NameIDFormat>${format('2.0:nameid-format:persistent')}</NameIDFormat>\n` +
      `${[redirect, post, artifact].map(binding => `    <SingleSignOnService Binding="${binding}" Location="${llng}/saml/singleSignOn"/>`).join('\n')}\n  </IDPSSODescriptor>\n` +
      `  <SPSSODescriptor AuthnRequestsSigned="true" protocolSupportEnumeration="${ns.samlp}"><AssertionConsumerService isDefault="true" index="0" Binding="${artifact}" Location="${llng}/saml/proxySingleSignOnArtifact"/></SPSSODescriptor>\n` +
      `  <Organization><OrganizationName xml:lang="en">Example</OrganizationName><OrganizationDisplayName xml:lang="en">Example</OrganizationDisplayName><OrganizationURL xml:lang="en">https://www.example.org</OrganizationURL></Organization>\n</EntityDescriptor>`,
  },
];

function rsaKeyValue(): string {
  const { n = '', e = '' } = testKey('idp').privateKey.export({ format: 'jwk' });
  const plain = (text: string): string => Buffer.from(text, 'base64url').toString('base64');
  return `<Modulus xmlns="${ns.ds}">${plain(n)}</Modulus><Exponent xmlns="${ns.ds}">${plain(e)}</Exponent>`;
}
