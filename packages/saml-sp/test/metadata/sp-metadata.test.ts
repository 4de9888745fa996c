import { describe, expect, test } from 'vitest';
import { publicKeyOfCertificate } from '../../src/key-material.ts';
import { validateAgainstSchema } from '../../src/schema.ts';
import { verifyEnvelopedSignature } from '../../src/signature.ts';
import { parseUntrusted } from '../../src/xml.ts';
import { testKey } from '../support/keys.ts';
import { createServiceProvider, now, sp } from '../support/world.ts';

const pair = (name: 'sp' | 'sp-next') => ({ privateKey: testKey(name).privateKey, certificate: testKey(name).certificate });
const rolling = { signingKeys: [pair('sp'), pair('sp-next')], decryptionKeys: [pair('sp'), pair('sp-next')] };

describe('our metadata (saml-metadata-2.0; IIP-MD09, SDP-SP38, 39)', () => {
  test("is valid under the standard's schema, signed or not", () => {
    for (const options of [{}, { sign: true, validForSeconds: 86_400, cacheForSeconds: 3600, nameIdFormats: ['urn:x'] }]) {
      using document = parseUntrusted(
        Buffer.from(
          createServiceProvider({ ...rolling, discoveryResponseUrl: 'https://sp.example.org/disco' }).metadata(options),
        ),
        {
          maxBytes: 100_000,
          maxElements: 500,
          maxAttributes: 20,
        },
      );
      expect(() => validateAgainstSchema(document, 'metadata')).not.toThrow();
    }
  });

  test('carries both keys of both uses while they roll over', () => {
    const xml = createServiceProvider(rolling).metadata();
    expect(xml.match(/KeyDescriptor use="signing"/g)).toHaveLength(2);
    expect(xml.match(/KeyDescriptor use="encryption"/g)).toHaveLength(2);
    for (const name of ['sp', 'sp-next'] as const) expect(xml.split(testKey(name).base64)).toHaveLength(3);
  });

  test('names ACS and SLO exactly', () => {
    const xml = createServiceProvider().metadata();
    expect(xml).toContain(
      `<md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${sp.acs}" index="0" isDefault="true"/>`,
    );
    expect(xml.match(new RegExp(`SingleLogoutService Binding="[^"]*" Location="${sp.slo}"`, 'g'))).toHaveLength(3);
  });

  test('says how long it is good', () => {
    const xml = createServiceProvider().metadata({ validForSeconds: 3600, cacheForSeconds: 600 });
    expect(xml).toContain(
      `validUntil="${new Date(now.getTime() + 3_600_000).toISOString().slice(0, 19)}Z" cacheDuration="PT600S"`,
    );
  });

  test('keeps its ID while nothing changes, and has another when something does', () => {
    const idOf = (xml: string): string | undefined => /ID="(_[0-9a-f]{40})"/.exec(xml)?.[1];
    expect(idOf(createServiceProvider().metadata())).toBe(idOf(createServiceProvider().metadata({ validForSeconds: 60 })));
    expect(idOf(createServiceProvider().metadata())).not.toBe(idOf(createServiceProvider(rolling).metadata()));
  });

  test('is signed by the first key', () => {
    using document = parseUntrusted(Buffer.from(createServiceProvider().metadata({ sign: true })));
    using verified = verifyEnvelopedSignature(document.root, {
      keys: [publicKeyOfCertificate(testKey('sp').certificate)],
      allowSha1: false,
    });
    expect(verified?.root.name).toBe('EntityDescriptor');
    expect(() => createServiceProvider({ signingKeys: [] }).metadata({ sign: true })).toThrow(/signing key/);
  });
});
