import { rule } from '../support/rule.ts';

const end = (instant: string) => (xml: string) => xml.replace(/(<saml:Conditions[^>]*NotOnOrAfter=")[^"]*/, `$1${instant}`);

rule('accepts only UTC instants as SAML writes them (saml-core-2.0 1.3.3; slow timestamps)', [
  { name: 'a time zone', code: 'SAML_INSTANT', assertion: end('2026-11-20T13:05:00+01:00') },
  { name: 'no zone at all', code: 'SAML_INSTANT', assertion: end('2026-11-20T12:05:00') },
  { name: 'a leap second', code: 'SAML_SCHEMA_INVALID', assertion: end('2026-12-31T23:59:60Z') },
  { name: '24:00', code: 'SAML_INSTANT', assertion: end('2026-11-20T24:00:00Z') },
  { name: 'the year 10000', code: 'SAML_INSTANT', assertion: end('10000-01-01T00:00:00Z') },
  { name: 'a year before Christ', code: 'SAML_INSTANT', assertion: end('-0001-01-01T00:00:00Z') },
  { name: '30 February', code: 'SAML_SCHEMA_INVALID', assertion: end('2027-02-30T00:00:00Z') },
  { name: 'a fraction of 30 digits', code: 'accepted', assertion: end(`2026-11-20T12:05:00.${'1'.repeat(30)}Z`) },
  { name: 'a fraction of 31 digits', code: 'SAML_INSTANT', assertion: end(`2026-11-20T12:05:00.${'1'.repeat(31)}Z`) },
  { name: 'a fraction of 60 digits', code: 'SAML_INSTANT', assertion: end(`2026-11-20T12:05:00.${'1'.repeat(60)}Z`) },
  { name: 'a fraction of 100,000 digits', code: 'SAML_INSTANT', assertion: end(`2026-11-20T12:05:00.${'1'.repeat(100_000)}Z`) },
  {
    name: 'white space around it',
    code: 'SAML_SCHEMA_INVALID',
    assertion: end(' 2026-11-20T12:05:00Z '),
  },
]);
