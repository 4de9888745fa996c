import { describe, expect, test } from 'vitest';
import { refusal } from '../support/refusal.ts';
import { createServiceProvider, idp, knownIdp, sp } from '../support/world.ts';

const provider = createServiceProvider({ discoveryResponseUrl: 'https://sp.example.org/disco' });

describe('the visitor chooses a provider elsewhere (sstc-saml-idp-discovery; IIP-SP04, SP05)', () => {
  test('the request names us and our return address', () => {
    const url = new URL(provider.discoveryUrl('https://ds.example.org/choose?lang=en', { isPassive: true, state: 'x' }));
    expect(url.searchParams.get('lang')).toBe('en');
    expect(url.searchParams.get('entityID')).toBe(sp.entityId);
    expect(url.searchParams.get('return')).toBe('https://sp.example.org/disco?state=x');
    expect(url.searchParams.get('returnIDParam')).toBe('entityID');
    expect(url.searchParams.get('isPassive')).toBe('true');
  });

  test('a known choice, and no choice', async () => {
    expect(await provider.readDiscoveryAnswer(`/disco?state=x&entityID=${encodeURIComponent(idp.entityId)}`)).toBe(idp.entityId);
    expect(await provider.readDiscoveryAnswer('/disco?state=x')).toBeUndefined();
    expect(await provider.readDiscoveryAnswer('/disco?entityID=')).toBeUndefined();
  });

  test.each([
    ['an unknown provider', 'entityID=https%3A%2F%2Fevil.example', 'SAML_DISCOVERY'],
    ['two choices', `entityID=${idp.entityId}&entityID=x`, 'SAML_PARAMETER'],
  ])('refuses %s', async (_name, query, code) => {
    await expect(provider.readDiscoveryAnswer(`/disco?${query}`)).rejects.toEqual(refusal(code));
  });

  test('refuses the choice of a provider that is switched off', async () => {
    const off = createServiceProvider({ identityProviders: [knownIdp({ enabled: false })] });
    await expect(off.readDiscoveryAnswer(`/disco?entityID=${idp.entityId}`)).rejects.toMatchObject({ code: 'SAML_DISCOVERY' });
  });

  test('refuses discovery without a return address, or with an unsafe service', () => {
    expect(() => createServiceProvider().discoveryUrl('https://ds.example.org')).toThrow(refusal('SAML_CONFIG_INVALID'));
    expect(() => provider.discoveryUrl('javascript:alert(1)')).toThrow(refusal('SAML_CONFIG_INVALID'));
  });
});
