import { rule } from '../support/rule.ts';
import { sp } from '../support/world.ts';

const restriction = (...audiences: string[]) =>
  `<saml:AudienceRestriction>${audiences.map(one => `<saml:Audience>${one}</saml:Audience>`).join('')}</saml:AudienceRestriction>`;
const audience = (...restrictions: string[]) => ({ pieces: { audience: restrictions.join('') } });

rule('accepts only an assertion for us (saml-core-2.0 2.5.1.4)', [
  { name: 'no AudienceRestriction', code: 'SAML_AUDIENCE', ...audience() },
  { name: 'Audience empty', code: 'SAML_AUDIENCE', ...audience(restriction('')) },
  { name: 'another service provider', code: 'SAML_AUDIENCE', ...audience(restriction('https://other.example.org/saml')) },
  { name: 'ours as a prefix', code: 'SAML_AUDIENCE', ...audience(restriction(`${sp.entityId}/admin`)) },
  { name: 'ours as a suffix', code: 'SAML_AUDIENCE', ...audience(restriction(`https://evil.example/?${sp.entityId}`)) },
  { name: 'another letter case', code: 'SAML_AUDIENCE', ...audience(restriction(sp.entityId.toUpperCase())) },
  { name: 'a trailing slash', code: 'SAML_AUDIENCE', ...audience(restriction(`${sp.entityId}/`)) },
  {
    name: 'several audiences, one is ours',
    code: 'accepted',
    ...audience(restriction('https://other.example.org', sp.entityId)),
  },
  {
    name: 'several restrictions, all name us',
    code: 'accepted',
    ...audience(restriction(sp.entityId), restriction('urn:x', sp.entityId)),
  },
  {
    name: 'several restrictions, one does not name us',
    code: 'SAML_AUDIENCE',
    ...audience(restriction(sp.entityId), restriction('urn:x')),
  },
]);
