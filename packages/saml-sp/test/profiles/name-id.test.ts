import { expect, test } from 'vitest';
import { isSameNameId, type NameId } from '../../src/index.ts';

const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const unspecified = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
const alice: NameId = {
  value: 'alice',
  format: persistent,
  nameQualifier: 'https://idp.example.edu',
  spNameQualifier: 'https://sp.example.org',
  spProvidedId: undefined,
};
const plain: NameId = { ...alice, format: undefined, nameQualifier: undefined, spNameQualifier: undefined };

test('one subject: everything equal, an absent format is `unspecified`, an id that we gave it says nothing', () => {
  expect(isSameNameId(alice, { ...alice })).toBe(true);
  expect(isSameNameId(plain, { ...plain, format: unspecified })).toBe(true);
  expect(isSameNameId({ ...plain, format: unspecified }, plain)).toBe(true);
  expect(isSameNameId(alice, { ...alice, spProvidedId: 'x' })).toBe(true);
});

test.each<[string, Partial<NameId>]>([
  ['another value', { value: 'Alice' }],
  ['another format', { format: unspecified }],
  ['no format', { format: undefined }],
  ['another qualifier', { nameQualifier: 'https://other.example.edu' }],
  ['no qualifier', { nameQualifier: undefined }],
  ['another qualifier of ours', { spNameQualifier: 'https://other.example.org' }],
  ['no qualifier of ours', { spNameQualifier: undefined }],
])('another subject: %s', (_name, change) => {
  expect(isSameNameId(alice, { ...alice, ...change })).toBe(false);
  expect(isSameNameId({ ...alice, ...change }, alice)).toBe(false);
});
