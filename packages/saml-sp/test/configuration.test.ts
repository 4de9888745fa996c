import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ServiceProviderOptions } from '../src/sp/configuration.ts';
import { isSafeEndpoint } from '../src/values/safe-endpoint.ts';
import { selfSigned } from './support/der.ts';
import { testKey } from './support/keys.ts';
import { refusal } from './support/refusal.ts';
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
    ['an entity ID with a blank', { entityId: 's p' }, 'SAML_CONFIG_INVALID'],
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
    expect(() => createServiceProvider(options as Partial<ServiceProviderOptions>)).toThrow(refusal(code));
  });

  test('accepts a plain word as an entity ID', () => {
    expect(createServiceProvider({ entityId: 'notes' }).entityId).toBe('notes');
  });

  test.each<[string, Record<string, unknown>, string]>([
    [
      'text for a number',
      { clockToleranceSeconds: '5' },
      'options.clockToleranceSeconds: expected a number from 0 to 300, got a string',
    ],
    [
      'NaN',
      { requestLifetimeSeconds: Number.NaN },
      'options.requestLifetimeSeconds: expected a number from 10 to 86400, got NaN',
    ],
    [
      'null',
      { singleLogoutServiceUrl: null },
      'options.singleLogoutServiceUrl: expected an https address (http only on loopback), got null',
    ],
    ['the old name of a setting', { clockSkewSeconds: 5 }, 'options.clockSkewSeconds: there is no such setting'],
    [
      'one key instead of an array',
      { signingKeys: pair('sp') },
      'options.signingKeys: expected an array of key pairs, got an object',
    ],
    [
      'a public key as private key',
      { signingKeys: [{ ...pair('sp'), privateKey: knownIdp().signingKeys[0] }] },
      'options.signingKeys[0].privateKey: expected a PEM text or a private KeyObject, got an object',
    ],
    [
      'a store without release',
      { replayStore: { claim: () => true } },
      'options.replayStore: expected a store with claim() and release()',
    ],
    [
      'a provider with a misspelt policy',
      { identityProviders: [{ ...knownIdp(), policy: { ...knownIdp().policy, wantAssertionSigned: true } }] },
      'options.identityProviders[0].policy.wantAssertionSigned: there is no such setting',
    ],
    [
      'a provider without a switch',
      { identityProviders: [{ ...knownIdp(), policy: {} }] },
      'options.identityProviders[0].policy.enabled: expected true or false, got undefined',
    ],
    [
      'a provider with a script for an address',
      {
        identityProviders: [
          { ...knownIdp(), singleSignOn: [{ binding: 'b', location: 'javascript:x', responseLocation: 'https://a.example' }] },
        ],
      },
      'options.identityProviders[0].singleSignOn[0].location: expected an https address',
    ],
    ['a clock that is no function', { now: new Date() }, 'options.now: expected a function, got an object'],
    [
      'no address',
      { assertionConsumerServiceUrl: [] },
      'options.assertionConsumerServiceUrl: expected different addresses, at least one',
    ],
    [
      'the same address twice',
      { assertionConsumerServiceUrl: ['https://a.example', 'https://a.example'] },
      'options.assertionConsumerServiceUrl: expected different addresses, at least one',
    ],
  ])('refuses %s by name', (_name, options, message) => {
    expect(() => createServiceProvider(options as Partial<ServiceProviderOptions>)).toThrow(message);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['text for a switch', { forceAuthn: 'true' }, 'request.forceAuthn: expected true or false, got a string'],
    ['a misspelt wish', { forceAuth: true }, 'request.forceAuth: there is no such setting'],
    [
      'classes as text',
      { authnContexts: 'urn:a' },
      'request.authnContexts: expected an array of AuthnContext class URIs, got a string',
    ],
    ['an unknown binding', { binding: 'artifact' }, 'request.binding: expected one of redirect, post, got a string'],
    ['an address on another site', { returnTo: 'https://evil.example' }, 'request.returnTo: expected a path on this site'],
    [
      'another ACS',
      { assertionConsumerServiceUrl: 'https://evil.example/acs' },
      'request.assertionConsumerServiceUrl: expected one of',
    ],
    ['a nested misspelling', { nameIdPolicy: { Format: 'urn:x' } }, 'request.nameIdPolicy.Format: there is no such setting'],
    [
      'extensions in SAML’s own namespace',
      { extensions: '<saml:Issuer>x</saml:Issuer>' },
      'extensions: expected elements in your own namespaces',
    ],
    ['extensions that end the request', { extensions: '</samlp:Extensions><x/>' }, 'extensions: expected'],
  ])('refuses a sign-in with %s by name', async (_name, request, message) => {
    await expect(createServiceProvider().startSignIn(knownIdp().entityId, request)).rejects.toThrow(message);
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
