import { validPieces } from '../support/response.ts';
import { rule } from '../support/rule.ts';
import { at } from '../support/world.ts';

const attribute = (name: string, seconds: number | undefined) => (xml: string) =>
  xml.replace(
    new RegExp(`(<saml:Conditions[^>]*?) ${name}="[^"]*"`),
    `$1${seconds === undefined ? '' : ` ${name}="${at(seconds)}"`}`,
  );
const inside = (more: string) => ({ pieces: { audience: validPieces.audience + more } });
const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:x="urn:x"';

rule('Conditions are there, understood and in time (saml-core-2.0 2.5.1)', [
  { name: 'missing', code: 'SAML_CONDITIONS', pieces: { conditions: '' } },
  { name: 'empty', code: 'SAML_EXPIRED', pieces: { conditions: '<saml:Conditions/>' } },
  { name: 'NotBefore in the future', code: 'SAML_NOT_YET_VALID', assertion: attribute('NotBefore', 61) },
  { name: 'NotBefore in the future, within the skew', code: 'accepted', assertion: attribute('NotBefore', 60) },
  {
    name: 'NotBefore in the future, without any skew',
    code: 'SAML_NOT_YET_VALID',
    options: { clockSkewSeconds: 0 },
    assertion: attribute('NotBefore', 1),
  },
  {
    name: 'NotBefore in the future, with 300 seconds of skew',
    code: 'accepted',
    options: { clockSkewSeconds: 300 },
    assertion: attribute('NotBefore', 300),
  },
  { name: 'NotBefore missing, which the standard allows', code: 'accepted', assertion: attribute('NotBefore', undefined) },
  { name: 'NotOnOrAfter missing', code: 'SAML_EXPIRED', assertion: attribute('NotOnOrAfter', undefined) },
  { name: 'NotOnOrAfter passed', code: 'SAML_EXPIRED', assertion: attribute('NotOnOrAfter', -61) },
  { name: 'NotOnOrAfter exactly at the end of the skew', code: 'SAML_EXPIRED', assertion: attribute('NotOnOrAfter', -60) },
  { name: 'NotOnOrAfter passed, within the skew', code: 'accepted', assertion: attribute('NotOnOrAfter', -59) },
  {
    name: 'NotOnOrAfter right now, without any skew',
    code: 'SAML_EXPIRED',
    options: { clockSkewSeconds: 0 },
    assertion: attribute('NotOnOrAfter', 0),
  },
  { name: 'an unknown condition', code: 'SAML_SCHEMA_INVALID', ...inside(`<saml:Condition ${xsi} xsi:type="x:DayOfWeek"/>`) },
  { name: 'a Condition without a type', code: 'SAML_SCHEMA_INVALID', ...inside('<saml:Condition/>') },
  {
    name: 'a Condition dressed as OneTimeUse',
    code: 'SAML_CONDITIONS',
    ...inside(`<saml:Condition ${xsi} xsi:type="saml:OneTimeUseType"/>`),
  },
  { name: 'OneTimeUse, as every assertion is used here', code: 'accepted', ...inside('<saml:OneTimeUse/>') },
  { name: 'OneTimeUse twice', code: 'SAML_STRUCTURE', ...inside('<saml:OneTimeUse/><saml:OneTimeUse/>') },
  { name: 'ProxyRestriction, which binds proxies', code: 'accepted', ...inside('<saml:ProxyRestriction Count="0"/>') },
  { name: 'ProxyRestriction twice', code: 'SAML_STRUCTURE', ...inside('<saml:ProxyRestriction/><saml:ProxyRestriction/>') },
]);
