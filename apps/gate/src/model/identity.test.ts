import { expect, test } from 'vitest';
import { readEmail } from './email.ts';
import { type Identity, withTrust } from './identity.ts';

const ada: Identity = {
  provider: 'corp',
  issuer: 'https://op.example',
  subject: 'ada',
  email: readEmail('ada@example.org'),
  isEmailTrusted: false,
  isEmailVerified: false,
  name: 'Ada',
  groups: [],
  claims: {},
};

test('an address counts while its domain is trusted, and no longer', () => {
  const trusted = withTrust(ada, ['other.example', 'example.org']);
  expect(trusted).toEqual({ ...ada, isEmailTrusted: true });
  expect(withTrust(trusted, ['other.example'])).toEqual(ada);
  expect(withTrust(ada, [])).toBe(ada);
  expect(withTrust(trusted, ['example.org'])).toBe(trusted);
});

test('an address that its provider calls verified counts whatever the domain', () => {
  const verified = { ...ada, isEmailVerified: true };
  expect(withTrust(verified, [])).toEqual({ ...verified, isEmailTrusted: true });
});

test('where nobody knows what the provider said, or there is no address, nothing changes', () => {
  const { isEmailVerified, ...unknown } = ada;
  expect(withTrust(unknown, ['example.org'])).toBe(unknown);
  expect(withTrust({ ...unknown, isEmailTrusted: true }, [])).toMatchObject({ isEmailTrusted: true });
  const without = { ...ada, email: undefined };
  expect(withTrust(without, ['example.org'])).toBe(without);
});
