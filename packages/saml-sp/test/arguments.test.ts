import { expect, test } from 'vitest';
import {
  acceptsEcp,
  attributeValues,
  checkConsumerUrl,
  compileSchemas,
  directoryOf,
  findSubjectId,
  isSameNameId,
  readPerson,
  renderAssertionGrant,
  toResponse,
} from '../src/index.ts';
import { refusalIn } from './support/refusal.ts';

// What stands alone is called with whatever a program has at hand: a session that came back empty, a setting that is not there.

const nameId = { value: 'ada', format: undefined, nameQualifier: undefined, spNameQualifier: undefined, spProvidedId: undefined };

test.each<[string, RegExp, unknown, (given: never) => unknown]>([
  ['attributeValues', /^attributes: expected an array/, undefined, given => attributeValues(given, 'mail')],
  ['attributeValues', /^attributes\[0\]: expected an object/, [null], given => attributeValues(given, 'mail')],
  ['attributeValues', /^attributes\[0\]\.values: /, [{ name: 'mail' }], given => attributeValues(given, 'mail')],
  ['attributeValues', /^name: expected a string/, undefined, given => attributeValues([], given)],
  ['readPerson', /^attributes: expected an array/, {}, readPerson],
  ['findSubjectId', /^attributes: /, undefined, given => findSubjectId(given, 'subject-id', { scopes: [] } as never)],
  ['findSubjectId', /^kind: expected one of subject-id, pairwise-id/, 'pairwise', given => findSubjectId([], given, {} as never)],
  ['findSubjectId', /^provider: expected an object/, undefined, given => findSubjectId([], 'subject-id', given)],
  ['isSameNameId', /^left: expected an object/, undefined, given => isSameNameId(given, nameId)],
  ['isSameNameId', /^left\.value: expected a string/, {}, given => isSameNameId(given, given)],
  ['isSameNameId', /^right: expected an object/, null, given => isSameNameId(nameId, given)],
  ['directoryOf', /^providers: expected an array of identity providers/, undefined, directoryOf],
  ['directoryOf', /^providers\[0\]\.entityId: /, [{}], directoryOf],
  ['acceptsEcp', /^headers: expected an object/, undefined, acceptsEcp],
  ['acceptsEcp', /^headers\.accept: expected one header as text/, { accept: ['text/html'] }, acceptsEcp],
  ['checkConsumerUrl', /^responseConsumerUrl: /, undefined, given => checkConsumerUrl(given, given)],
  ['renderAssertionGrant', /^assertionXml: expected a string/, undefined, renderAssertionGrant],
  ['renderAssertionGrant', /^options\.scopes: there is no such/, { scopes: 'a' }, given => renderAssertionGrant('<x/>', given)],
  ['toResponse', /^message: expected a message to send/, undefined, toResponse],
  ['toResponse', /^message: expected a message to send/, { send: {}, pending: {} }, toResponse],
  ['compileSchemas', /^set: expected one of protocol, metadata, soap/, undefined, compileSchemas],
])('%s: refuses %s by name (%j)', (_name, message, given, call) => {
  expect(() => call(given as never)).toThrow(refusalIn('SAML_CONFIG_INVALID', message));
});

test('an identity provider that says no address to an enhanced client is an answer, not a mistake of ours', () => {
  expect(checkConsumerUrl('https://sp.example.org/acs', undefined as never)).toContain('differ');
});
