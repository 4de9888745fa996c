import { validPieces } from '../support/response.ts';
import { rule } from '../support/rule.ts';
import { at } from '../support/world.ts';

const only = (name: string, seconds: number | undefined) => (xml: string) =>
  xml.replace(
    new RegExp(`(<saml:Conditions[^>]*?) ${name}="[^"]*"`),
    `$1${seconds === undefined ? '' : ` ${name}="${at(seconds)}"`}`,
  );
/** The other end lies far enough away not to matter. */
const attribute = (name: string, seconds: number | undefined) => (xml: string) =>
  name === 'NotBefore' ? only('NotOnOrAfter', 900)(only(name, seconds)(xml)) : only('NotBefore', -900)(only(name, seconds)(xml));
const inside = (more: string) => ({ pieces: { audience: validPieces.audience + more } });
const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:x="urn:x"';

rule('requires Conditions that it understands and that hold now (saml-core-2.0 2.5.1)', [
  { name: 'missing', code: 'SAML_CONDITIONS', pieces: { conditions: '' } },
  { name: 'empty', code: 'SAML_EXPIRED', pieces: { conditions: '<saml:Conditions/>' } },
  { name: 'NotBefore in the future', code: 'SAML_NOT_YET_VALID', assertion: attribute('NotBefore', 61) },
  { name: 'NotBefore in the future, within the skew', code: 'accepted', assertion: attribute('NotBefore', 60) },
  {
    name: 'NotBefore in the future, without any skew',
    code: 'SAML_NOT_YET_VALID',
    options: { clockToleranceSeconds: 0 },
    assertion: attribute('NotBefore', 1),
  },
  {
    name: 'NotBefore in the future, with 300 seconds of skew',
    code: 'accepted',
    options: { clockToleranceSeconds: 300 },
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
    options: { clockToleranceSeconds: 0 },
    assertion: attribute('NotOnOrAfter', 0),
  },
  { name: 'ends as it begins', code: 'SAML_CONDITIONS', assertion: xml => only('NotBefore', 20)(only('NotOnOrAfter', 20)(xml)) },
  {
    name: 'ends before it begins, both within the tolerance',
    code: 'SAML_CONDITIONS',
    assertion: xml => only('NotBefore', 30)(only('NotOnOrAfter', -30)(xml)),
  },
  {
    name: 'lasts one second',
    code: 'accepted',
    assertion: xml => only('NotBefore', -1)(only('NotOnOrAfter', 0)(xml)),
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
