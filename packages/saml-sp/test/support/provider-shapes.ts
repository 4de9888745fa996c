import { ns } from '../../src/xml/names.ts';
import { endpoint } from './idp-metadata-fixture.ts';

/** An aggregate in the shape of eduGAIN's: comments, registration info, scopes, display, contacts; half its entities are services. */
export function federation(providers: number, validUntil: string, keys: string): string {
  const one = (at: number): string => {
    const host = `idp${at}.example.org`;
    const scope = `<shibmd:Scope regexp="false">${host}</shibmd:Scope>`;
    const info =
      `<mdui:UIInfo><mdui:DisplayName xml:lang="en">University ${at}</mdui:DisplayName><mdui:Description xml:lang="en">The university of place ${at}</mdui:Description>` +
      `<mdui:Logo height="16" width="16">https://${host}/favicon.png</mdui:Logo></mdui:UIInfo>`;
    const registration = `<md:Extensions><mdrpi:RegistrationInfo xmlns:mdrpi="urn:oasis:names:tc:SAML:metadata:rpi" registrationAuthority="https://federation.example.org" registrationInstant="2020-01-01T00:00:00Z"/></md:Extensions>`;
    return (
      `<!-- ${host} --><md:EntityDescriptor entityID="https://${host}/idp">${registration}<md:IDPSSODescriptor protocolSupportEnumeration="${ns.samlp} urn:mace:shibboleth:1.0">` +
      `<md:Extensions>${scope}${info}</md:Extensions>${keys}${endpoint('SingleLogoutService', `https://${host}/slo`)}` +
      `<md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>${endpoint('SingleSignOnService', `https://${host}/sso`)}` +
      `<md:SingleSignOnService Binding="urn:mace:shibboleth:1.0:profiles:AuthnRequest" Location="http://${host}/old"/></md:IDPSSODescriptor>` +
      `<md:Organization><md:OrganizationName xml:lang="en">U${at}</md:OrganizationName><md:OrganizationDisplayName xml:lang="en">University ${at}</md:OrganizationDisplayName><md:OrganizationURL xml:lang="en">https://${host}</md:OrganizationURL></md:Organization>` +
      `<md:ContactPerson contactType="other" xmlns:remd="http://refeds.org/metadata" remd:contactType="http://refeds.org/metadata/contactType/security"><md:GivenName>Security</md:GivenName><md:EmailAddress>mailto:security@${host}</md:EmailAddress></md:ContactPerson></md:EntityDescriptor>`
    );
  };
  return (
    `<md:EntitiesDescriptor xmlns:md="${ns.md}" xmlns:ds="${ns.ds}" xmlns:mdui="${ns.mdui}" xmlns:shibmd="${ns.shibmd}" ID="_aggregate" Name="https://federation.example.org" validUntil="${validUntil}" cacheDuration="PT6H">` +
    `${Array.from({ length: providers }, (_, at) => one(at)).join('\n')}</md:EntitiesDescriptor>`
  );
}
