import { describe, expect, test } from 'vitest';
import { publicKeyOfCertificate } from '../../src/keys/key-material.ts';
import { verifyEnvelopedSignature } from '../../src/keys/signature.ts';
import { validateAgainstSchema } from '../../src/xml/schema.ts';
import { parseUntrusted } from '../../src/xml/xml.ts';
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

  test('says who we are, whom to ask and what we want, valid and for every address', () => {
    const provider = createServiceProvider({
      ...rolling,
      assertionConsumerServiceUrl: [sp.acs, `${sp.acs}/two`],
      discoveryResponseUrl: 'https://sp.example.org/disco',
    });
    const xml = provider.metadata({
      sign: true,
      subjectId: 'pairwise-id',
      display: {
        names: { en: 'Notes & more', de: 'Notizen' },
        descriptions: { en: 'Notebooks' },
        informationUrls: { en: 'https://sp.example.org/about' },
        privacyUrls: { en: 'https://sp.example.org/privacy' },
        logos: [{ url: 'https://sp.example.org/logo.png', width: 64, height: 64, language: 'en' }],
      },
      organization: { names: { en: 'Example' }, displayNames: { en: 'Example Ltd' }, urls: { en: 'https://www.example.org' } },
      contacts: [{ type: 'technical', givenName: 'Operations', emails: ['ops@example.org'], telephones: ['+1 555 0100'] }],
      requestedAttributes: {
        serviceNames: { en: 'Notes' },
        attributes: [
          { name: 'urn:oid:0.9.2342.19200300.100.1.3', friendlyName: 'mail', required: true },
          { name: 'urn:oid:2.5.4.42' },
        ],
      },
    });
    using document = parseUntrusted(Buffer.from(xml));
    expect(() => validateAgainstSchema(document, 'metadata')).not.toThrow();
    expect(xml).toContain('<mdui:DisplayName xml:lang="en">Notes &amp; more</mdui:DisplayName>');
    expect(xml).toContain('<md:EmailAddress>mailto:ops@example.org</md:EmailAddress>');
    expect(xml).toContain('FriendlyName="mail" isRequired="true"/>');
    expect(xml).toContain('Name="urn:oasis:names:tc:SAML:profiles:subject-id:req"');
    expect(xml).toContain('>pairwise-id</saml:AttributeValue>');
    expect([...xml.matchAll(/<md:AssertionConsumerService [^>]*index="(\d)"/g)].map(found => found[1])).toEqual([
      '0',
      '1',
      '2',
      '3',
    ]);
    expect(xml.match(/isDefault="true"/g)).toHaveLength(2);
  });

  test.each([
    ['a misspelt member', { contact: [] }, 'options.contact: there is no such setting'],
    [
      'a kind of contact that does not exist',
      { contacts: [{ type: 'boss' }] },
      'options.contacts[0].type: expected one of technical',
    ],
    [
      'a name without language',
      { organization: { names: 'Example', displayNames: {}, urls: {} } },
      'options.organization.names: expected texts by language tag',
    ],
    ['text for seconds', { validForSeconds: '60' }, 'options.validForSeconds: expected a number'],
  ])('refuses %s by name', (_name, options, message) => {
    expect(() => createServiceProvider().metadata(options as never)).toThrow(message);
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
