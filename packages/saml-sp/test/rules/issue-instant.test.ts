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
  // The request of these fixtures is 30 seconds old, and clocks may differ by 60.
  { name: 'Assertion from the future, at the end of the skew', code: 'accepted', assertion: inAssertion(at(60)) },
  { name: 'Assertion from the future, a second beyond it', code: 'SAML_ISSUE_INSTANT', assertion: inAssertion(at(61)) },
  { name: 'Response from the future, at the end of the skew', code: 'accepted', response: inResponse(at(60)) },
  { name: 'Response from the future, a second beyond it', code: 'SAML_ISSUE_INSTANT', response: inResponse(at(61)) },
  { name: 'Assertion older than the request, at the end of the skew', code: 'accepted', assertion: inAssertion(at(-90)) },
  { name: 'Assertion older than the request, a second beyond it', code: 'SAML_ISSUE_INSTANT', assertion: inAssertion(at(-91)) },
  { name: 'Response older than the request, at the end of the skew', code: 'accepted', response: inResponse(at(-90)) },
  { name: 'Response older than the request, a second beyond it', code: 'SAML_ISSUE_INSTANT', response: inResponse(at(-91)) },
  {
    name: 'both a little before the request, within the skew',
    code: 'accepted',
    assertion: inAssertion(at(-80)),
    response: inResponse(at(-80)),
  },
]);
