import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ServiceProviderOptions } from '../src/configuration.ts';
import { isSafeEndpoint } from '../src/safe-endpoint.ts';
import { selfSigned } from './support/der.ts';
import { testKey } from './support/keys.ts';
import { createServiceProvider, knownIdp } from './support/world.ts';

const pair = (name: 'sp' | 'other' | 'weak' | 'idp-ec') => ({
  privateKey: testKey(name).privateKey,
  certificate: testKey(name).certificate,
});
const ed25519 = generateKeyPairSync('ed25519');

describe('a configuration that is wrong stops the start', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['an unknown option', { wantAssertionsSignd: true }, 'SAML_CONFIG_INVALID'],
    ['an empty entity ID', { entityId: '' }, 'SAML_CONFIG_INVALID'],
    ['an entity ID that is no URI', { entityId: 'sp' }, 'SAML_CONFIG_INVALID'],
    ['an entity ID of 1,025 characters', { entityId: `urn:${'a'.repeat(1021)}` }, 'SAML_CONFIG_INVALID'],
    ['an http address', { assertionConsumerServiceUrl: 'http://sp.example.org/acs' }, 'SAML_CONFIG_INVALID'],
    ['a javascript: address', { singleLogoutServiceUrl: 'javascript:alert(1)' }, 'SAML_CONFIG_INVALID'],
    ['an http address for discovery', { discoveryResponseUrl: 'http://sp.example.org' }, 'SAML_CONFIG_INVALID'],
    ['a skew of 301 seconds', { clockToleranceSeconds: 301 }, 'SAML_CONFIG_INVALID'],
    ['a negative skew', { clockToleranceSeconds: -1 }, 'SAML_CONFIG_INVALID'],
    ['a skew that is no number', { clockToleranceSeconds: Number.NaN }, 'SAML_CONFIG_INVALID'],
    ['requests that live for days', { requestLifetimeSeconds: 100_000 }, 'SAML_CONFIG_INVALID'],
    ['no replay store', { replayStore: undefined }, 'SAML_CONFIG_INVALID'],
    ['two providers of one name', { identityProviders: [knownIdp(), knownIdp()] }, 'SAML_CONFIG_INVALID'],
    ['an RSA key of 1024 bits', { signingKeys: [pair('weak')] }, 'SAML_KEY'],
    [
      'a certificate of another key',
      { signingKeys: [{ privateKey: testKey('sp').privateKey, certificate: testKey('other').certificate }] },
      'SAML_KEY',
    ],
    ['a certificate that is none', { signingKeys: [{ privateKey: testKey('sp').privateKey, certificate: 'AAAA' }] }, 'SAML_KEY'],
    ['a private key that is none', { signingKeys: [{ privateKey: 'AAAA', certificate: testKey('sp').certificate }] }, 'SAML_KEY'],
    [
      'a key of a kind that XML Signature does not know',
      {
        signingKeys: [
          { privateKey: ed25519.privateKey, certificate: selfSigned('x', ed25519.publicKey, testKey('sp').privateKey) },
        ],
      },
      'SAML_KEY',
    ],
    ['an elliptic curve key for decryption', { decryptionKeys: [pair('idp-ec')] }, 'SAML_CONFIG_INVALID'],
  ])('%s', (_name, options, code) => {
    expect(() => createServiceProvider(options as Partial<ServiceProviderOptions>)).toThrow(expect.objectContaining({ code }));
  });

  test.each([
    ['https://a.example/x?y=1', true],
    ['http://127.0.0.1:8080/x', true],
    ['http://[::1]/x', true],
    ['http://localhost/x', true],
    ['http://a.example/x', false],
    ['http://127.0.0.1.evil.example/', false],
    ['https://a.example/#x', false],
    ['https://a:b@a.example/', false],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['//a.example', false],
    ['https://a.example/"onload="x', false],
    [' https://a.example/', false],
    ['', false],
  ])('%s: safe %s', (address, safe) => expect(isSafeEndpoint(address)).toBe(safe));
});
