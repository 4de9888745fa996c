import { describe, expect, test } from 'vitest';
import { findSubjectId } from '../../src/assertion/subject-id.ts';
import { refusal } from '../support/refusal.ts';
import { knownIdp } from '../support/world.ts';

const attribute = (...values: string[]) => [
  {
    name: 'urn:oasis:names:tc:SAML:attribute:subject-id',
    nameFormat: undefined,
    friendlyName: undefined,
    values,
    structuredValues: [],
  },
];
const find = (...values: string[]) => findSubjectId(attribute(...values), 'subject-id', knownIdp());

describe('subject identifiers stay within the scopes of their provider (SDP-SP15 to SP18)', () => {
  test('one of its own scope, compared without case', () => {
    expect(find('Alice-1@EXAMPLE.edu')).toBe('alice-1@example.edu');
    expect(findSubjectId([], 'subject-id', knownIdp())).toBeUndefined();
    expect(findSubjectId(attribute('a@example.edu'), 'pairwise-id', knownIdp())).toBeUndefined();
  });

  test.each([
    ['of another scope', ['alice@evil.example']],
    ['of a scope that only ends like its own', ['alice@notexample.edu']],
    ['of a subdomain', ['alice@sub.example.edu']],
    ['with two @', ['alice@evil.example@example.edu']],
    ['without a scope', ['alice']],
    ['with an empty identifier', ['@example.edu']],
    ['with a blank', ['al ice@example.edu']],
    ['with a line break', ['alice@example.edu\n']],
    ['of 128 characters', [`${'a'.repeat(128)}@example.edu`]],
    ['two of them', ['alice@example.edu', 'bob@example.edu']],
  ])('refuses %s', (_name, values) => {
    expect(() => find(...values)).toThrow(refusal('SAML_SUBJECT_ID'));
  });
});
