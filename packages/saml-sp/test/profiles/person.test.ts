import { expect, test } from 'vitest';
import { readPerson } from '../../src/assertion/person.ts';

const attribute = (name: string, ...values: string[]) => ({
  name,
  nameFormat: undefined,
  friendlyName: 'mail',
  values,
  structuredValues: [],
});

test('the common attributes by OID, by claim type and by plain word, the OID first', () => {
  expect(
    readPerson([
      attribute('mail', 'plain@example.org'),
      attribute('urn:oid:0.9.2342.19200300.100.1.3', 'oid@example.org'),
      attribute('http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname', 'Ada'),
      attribute('lastName', 'Lovelace'),
      attribute('urn:oid:1.3.6.1.4.1.5923.1.5.1.1', 'a', 'b'),
    ]),
  ).toEqual({
    email: 'oid@example.org',
    displayName: undefined,
    givenName: 'Ada',
    familyName: 'Lovelace',
    userName: undefined,
    groups: ['a', 'b'],
    affiliations: [],
    entitlements: [],
  });
});

test('a FriendlyName is never a name (IIP-SP11), and other names can be given', () => {
  expect(readPerson([attribute('urn:other', 'x')]).email).toBeUndefined();
  expect(readPerson([attribute('urn:other', 'x')], { email: ['urn:other'] }).email).toBe('x');
});
