import { describe, expect, test } from 'vitest';
import { findEndpoint } from '../../src/idp/identity-provider.ts';
import { readIdpMetadata } from '../../src/idp/idp-metadata.ts';
import { publicKeyOfCertificate } from '../../src/keys/key-material.ts';
import { bindings } from '../../src/xml/names.ts';
import { keyDescriptor, signMetadata } from '../support/idp-metadata-fixture.ts';
import { testKey } from '../support/keys.ts';
import { providerShapes } from '../support/provider-metadata.ts';
import { federation } from '../support/provider-shapes.ts';
import { buildResponse } from '../support/response.ts';
import { at, createServiceProvider, idp, now, pending, postResponse } from '../support/world.ts';

describe.each(providerShapes.map(shape => [shape.product, shape] as const))('metadata in the shape of %s', (_product, shape) => {
  const [provider] = readIdpMetadata(shape.xml, { now });

  test('is read: name, addresses, keys', () => {
    expect(provider?.entityId).toBe(shape.entityId);
    expect(findEndpoint(provider?.singleSignOn ?? [], [bindings.redirect, bindings.post])?.location).toBe(shape.sso);
    expect(provider?.signingKeys).toHaveLength(shape.signingKeys);
    expect(provider?.signingKeys[0]?.equals(publicKeyOfCertificate(testKey('idp').certificate))).toBe(true);
    expect(provider?.encryptionKeys).toHaveLength(shape.encryptionKeys);
    expect(provider?.singleLogout).toHaveLength(shape.logout);
    expect(provider?.wantAuthnRequestsSigned).toBe(shape.wantAuthnRequestsSigned ?? false);
  });

  test('a sign-in begins there, and an answer signed with its key signs in', async () => {
    if (provider === undefined) throw new Error('no provider was read');
    const sp = createServiceProvider({ identityProviders: [provider] });
    const { send } = await sp.startSignIn(shape.entityId);
    expect(send.url.startsWith(shape.sso)).toBe(true);
    const named = (xml: string) => xml.replaceAll(`>${idp.entityId}<`, `>${shape.entityId}<`);
    const answer = postResponse(
      buildResponse({
        assertion: named,
        response: xml => named(xml.slice(0, xml.indexOf('<saml:Assertion'))) + xml.slice(xml.indexOf('<saml:Assertion')),
      }),
    );
    await expect(sp.finishSignIn(answer, { ...pending, identityProvider: shape.entityId })).resolves.toMatchObject({
      issuer: shape.entityId,
      nameId: { value: 'alice' },
    });
  });
});

test('an aggregate in the shape of eduGAIN’s is read whole, its http addresses and unknown contacts do no harm', () => {
  const xml = signMetadata(federation(25, at(86_400), keyDescriptor('idp')), { key: 'other' });
  const found = readIdpMetadata(xml, { now, signedBy: [testKey('other').certificate] });
  expect(found).toHaveLength(25);
  expect(found.every(one => one.singleSignOn.length === 1 && one.display?.names.en !== undefined)).toBe(true);
});
