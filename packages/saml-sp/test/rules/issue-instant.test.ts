import { rule } from '../support/rule.ts';
import { at } from '../support/world.ts';

const inAssertion = (instant: string) => (xml: string) =>
  xml.replace(/(<saml:Assertion[^>]*IssueInstant=")[^"]*/, `$1${instant}`);
const inResponse = (instant: string) => (xml: string) => xml.replace(/(ID="_response1"[^>]*IssueInstant=")[^"]*/, `$1${instant}`);

rule('refuses an IssueInstant in the future or before the request', [
  { name: 'Assertion from the future', code: 'SAML_ISSUE_INSTANT', assertion: inAssertion(at(120)) },
  { name: 'Response from the future', code: 'SAML_ISSUE_INSTANT', response: inResponse(at(120)) },
  { name: 'Assertion a little ahead, within the skew', code: 'accepted', assertion: inAssertion(at(59)) },
  { name: 'Assertion older than the request', code: 'SAML_ISSUE_INSTANT', assertion: inAssertion(at(-120)) },
  { name: 'Response older than the request', code: 'SAML_ISSUE_INSTANT', response: inResponse(at(-120)) },
  {
    name: 'both a little before the request, within the skew',
    code: 'accepted',
    assertion: inAssertion(at(-80)),
    response: inResponse(at(-80)),
  },
]);
