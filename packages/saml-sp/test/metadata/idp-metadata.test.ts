import { describe, expect, test } from 'vitest';
import type { SamlErrorCode } from '../../src/errors.ts';
import { type IdpMetadataOptions, readIdpMetadata } from '../../src/idp/idp-metadata.ts';
import { publicKeyOfCertificate } from '../../src/keys/key-material.ts';
import { selfSigned } from '../support/der.ts';
import { endpoint, entities, entity, keyDescriptor, type MetadataPieces, signMetadata } from '../support/idp-metadata-fixture.ts';
import { testKey } from '../support/keys.ts';
import { refusal } from '../support/refusal.ts';
import { at, idp, now } from '../support/world.ts';

const read = (xml: string, options: IdpMetadataOptions = {}) => readIdpMetadata(xml, { now, ...options });
const until = (seconds: number) => ({ attributes: ` ID="_md1" validUntil="${at(seconds)}"` });
const day = 86_400;
const signedBy = [testKey('other').certificate];
/** A signed fixture says how long it is good: the one fault is another. */
const dated = (pieces: MetadataPieces = {}) => entity({ attributes: ` ID="_md1" validUntil="${at(day)}"`, ...pieces });
const aggregate = (content: string) => entities(content, ` ID="_all" validUntil="${at(day)}"`);

describe('metadata of an identity provider is read (IIP-MD01 to MD11)', () => {
  test('keys, addresses, formats', () => {
    const [found] = read(
      entity({ keys: keyDescriptor('idp') + keyDescriptor('idp-next') + keyDescriptor('sp', ' use="encryption"') }),
    );
    expect(found).toMatchObject({
      entityId: idp.entityId,
      nameIdFormats: ['urn:f'],
      policy: { enabled: true, dangerouslyAllowSha1: false },
    });
    expect(found?.signingKeys).toHaveLength(2);
    expect(found?.encryptionKeys).toHaveLength(1);
    expect(found?.singleSignOn[0]).toMatchObject({ location: idp.sso });
    expect(found?.singleLogout[0]).toMatchObject({ location: idp.slo, responseLocation: idp.slo });
  });

  test('a KeyDescriptor without use serves both (KeyDescriptor without use, MD10)', () => {
    const [found] = read(entity({ keys: keyDescriptor('idp', '') }));
    expect([found?.signingKeys.length, found?.encryptionKeys.length]).toEqual([1, 1]);
  });

  test('an expired certificate is as good a key carrier as any (MD11)', () => {
    const { privateKey, certificate } = testKey('idp');
    const expired = selfSigned('old', publicKeyOfCertificate(certificate), privateKey, {
      from: new Date('2001-01-01'),
      to: new Date('2002-01-01'),
    });
    const xml = entity().replace(testKey('idp').base64, expired.replace(/-----[^-]+-----|\s/g, ''));
    expect(read(xml)[0]?.signingKeys[0]?.equals(publicKeyOfCertificate(certificate))).toBe(true);
  });

  test('aggregates in any depth, unusable entities left out', () => {
    const bad = entity(
      { sso: endpoint('SingleSignOnService', 'http://plain.example/sso'), attributes: '' },
      'https://bad.example',
    );
    const xml = entities(entity({ attributes: '' }) + entities(entity({ attributes: '' }, 'https://two.example'), '') + bad, '');
    expect(read(xml).map(one => one.entityId)).toEqual([idp.entityId, 'https://two.example']);
  });

  test.each([
    ['an expired group', until(-1), {}],
    ['a group whose validUntil is no time', { attributes: ' validUntil="soon"' }, {}],
    ['a group that is said to be good for too long', until(40 * day), { maxValidityDays: 30 }],
  ])('nothing in %s is used, and everything around it is (SAML Metadata 2.3.1)', (_what, { attributes }, options) => {
    const one = (name: string) => entity({ attributes: '' }, `https://${name}.example`);
    const later = entity({ attributes: ` validUntil="${at(day)}"` }, 'https://later.example');
    const group = entities(one('in-it') + later + entities(one('deep'), ` validUntil="${at(day)}"`), attributes);
    const left: unknown[] = [];
    const xml = entities(one('before') + entities(group + one('beside'), '') + one('after'), ` validUntil="${at(day)}"`);
    const found = read(xml, { ...options, onLeftOut: (entityId, { code }) => left.push([entityId, code]) });
    expect(found.map(({ entityId }) => entityId)).toEqual(['before', 'beside', 'after'].map(name => `https://${name}.example`));
    const code = attributes.includes('soon') ? 'SAML_INSTANT' : 'SAML_METADATA_EXPIRED';
    expect(left).toEqual(['in-it', 'later', 'deep'].map(name => [`https://${name}.example`, code]));
  });

  test('an expired document is refused, whatever its groups say', () => {
    const inner = entities(entity({ attributes: '' }), ` validUntil="${at(day)}"`);
    expect(() => read(entities(inner, ` validUntil="${at(-1)}"`))).toThrow(refusal('SAML_METADATA_EXPIRED'));
  });

  test('a group that expires while it is in use takes its entities with it, and no others', () => {
    const xml = entities(
      entities(entities(entity({ attributes: '' }), ` validUntil="${at(day)}"`), ` validUntil="${at(60)}"`) +
        entity({ attributes: '' }, 'https://two.example'),
      ` validUntil="${at(2 * day)}"`,
    );
    expect(read(xml).map(({ validUntil }) => validUntil)).toEqual([new Date(at(60)), new Date(at(2 * day))]);
  });

  test('scopes are read, regular expressions are not believed', () => {
    const scope = (text: string, regexp: string) =>
      `<shibmd:Scope xmlns:shibmd="urn:mace:shibboleth:metadata:1.0"${regexp}>${text}</shibmd:Scope>`;
    const xml = entity({
      extensions: `<md:Extensions>${scope('example.edu', ' regexp="false"')}${scope('.*', ' regexp="true"')}${scope('.+', ' regexp="1"')}</md:Extensions>`,
    });
    expect(read(xml)[0]?.scopes).toEqual(['example.edu']);
  });

  test('leaves out a weak key beside a good one', () => {
    expect(read(entity({ keys: keyDescriptor('weak') + keyDescriptor('idp') }))[0]?.signingKeys).toHaveLength(1);
  });

  test('the earliest validUntil holds', () => {
    const xml = entities(entity({ attributes: ` validUntil="${at(3600)}"` }), ` ID="_all" validUntil="${at(day)}"`);
    expect(read(xml)[0]?.validUntil).toEqual(new Date(at(3600)));
  });

  test('comments are cut out wherever they stand, and text on both sides of one is one text', () => {
    const xml = `<!-- a --><?xml?>${entity()}`.replace('<?xml?>', '').replace(idp.sso, idp.sso);
    const commented = xml
      .replace('>urn:f<', '>urn:<!-- <x> -->f<')
      .replace('<md:IDPSSODescriptor', '<!----><!-- \n " \' > --><md:IDPSSODescriptor');
    expect(read(`${commented}<!-- end -->`)[0]).toMatchObject({ entityId: idp.entityId, nameIdFormats: ['urn:f'] });
  });

  test('comments in signed metadata change nothing: what is read is what was signed', () => {
    const xml = signMetadata(dated(), { key: 'other' }).replace('>urn:f<', '>ur<!-- evil -->n:f<');
    expect(read(xml, { signedBy })[0]?.nameIdFormats).toEqual(['urn:f']);
    const shortened = signMetadata(dated(), { key: 'other' })
      .replace(idp.sso, `${idp.sso}<!--`)
      .replace('</md:NameIDFormat>', '--></md:NameIDFormat>');
    expect(() => read(shortened, { signedBy })).toThrow(refusal('SAML_XML_MALFORMED'));
  });

  test('accepts an unsigned file that is valid for years', () => {
    expect(read(entity(until(5 * 365 * day)))[0]?.validUntil).toEqual(new Date(at(5 * 365 * day)));
  });

  test('a signed source may be said to be good without an end', () => {
    expect(read(signMetadata(entity(), { key: 'other' }), { signedBy, requireValidUntil: false })).toHaveLength(1);
  });

  test('takes the first certificate of an X509Data as the key, and the others as its chain', () => {
    const chain = keyDescriptor('idp').replace(
      '</ds:X509Data>',
      `<ds:X509Certificate>${testKey('attacker').base64}</ds:X509Certificate></ds:X509Data>`,
    );
    const [found] = read(entity({ keys: chain }));
    expect(found?.signingKeys.map(key => key.equals(publicKeyOfCertificate(testKey('idp').certificate)))).toEqual([true]);
  });

  test('accepts a bare RSA key', () => {
    const { n = '', e = '' } = publicKeyOfCertificate(testKey('idp').certificate).export({ format: 'jwk' });
    const plain = (text: string) => Buffer.from(text, 'base64url').toString('base64');
    const keys = `<md:KeyDescriptor><ds:KeyInfo><ds:KeyValue><ds:RSAKeyValue><ds:Modulus>${plain(n)}</ds:Modulus><ds:Exponent>${plain(e)}</ds:Exponent></ds:RSAKeyValue></ds:KeyValue></ds:KeyInfo></md:KeyDescriptor>`;
    expect(read(entity({ keys }))[0]?.signingKeys[0]?.equals(publicKeyOfCertificate(testKey('idp').certificate))).toBe(true);
  });

  test('leaves out an http address beside an https one', () => {
    const sso = endpoint('SingleSignOnService', 'http://idp.example.edu/old') + endpoint('SingleSignOnService', idp.sso);
    expect(read(entity({ sso }))[0]?.singleSignOn.map(one => one.location)).toEqual([idp.sso]);
  });

  test('ignores what the schema does not know: foreign roles, contacts, attributes, extensions', () => {
    const foreign =
      '<md:RoleDescriptor xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:fed="http://docs.oasis-open.org/wsfed/federation/200706" xsi:type="fed:SecurityTokenServiceType" protocolSupportEnumeration="http://docs.oasis-open.org/wsfed/federation/200706"><fed:x/></md:RoleDescriptor>';
    const contact = '<md:ContactPerson contactType="security"><md:Unknown/></md:ContactPerson>';
    const xml = entity({ extensions: `<md:Extensions><x:a xmlns:x="urn:x" ID="1 2"/></md:Extensions>${foreign}` }).replace(
      '</md:EntityDescriptor>',
      `${contact}</md:EntityDescriptor>`,
    );
    expect(read(xml)[0]?.entityId).toBe(idp.entityId);
  });

  test('reports a bad entity and keeps the others', () => {
    const left: [string, string][] = [];
    const good = entity({ attributes: '' }, 'https://good.example');
    const bad = [
      entity({ attributes: '', sso: '' }, 'https://no-address.example'),
      entity({ attributes: '' }, 'https://bad-instant.example').replace(
        '<md:EntityDescriptor',
        '<md:EntityDescriptor validUntil="soon"',
      ),
      entity({ attributes: '', keys: keyDescriptor('weak') }, 'https://weak.example'),
      entity({ attributes: '', sso: endpoint('SingleSignOnService', 'javascript:x') }, 'https://script.example'),
      entity({ attributes: '' }, `https://long.example/${'x'.repeat(1024)}`),
    ];
    const found = read(entities(bad.join('') + good), {
      onLeftOut: (entityId, error) => left.push([entityId.slice(0, 30), error.code]),
    });
    expect(found.map(one => one.entityId)).toEqual(['https://good.example']);
    expect(left).toEqual([
      ['https://no-address.example', 'SAML_SCHEMA_INVALID'],
      ['https://bad-instant.example', 'SAML_INSTANT'],
      ['https://weak.example', 'SAML_KEY'],
      ['https://script.example', 'SAML_METADATA_ENDPOINT'],
      [`https://long.example/${'x'.repeat(9)}`, 'SAML_SCHEMA_INVALID'],
    ]);
  });

  test('takes flags only from our configuration', () => {
    expect(read(entity(), { policy: { dangerouslyAllowSha1: true } })[0]?.policy).toMatchObject({
      dangerouslyAllowSha1: true,
      dangerouslyAllowCbc: false,
    });
  });
});

const faults: [string, SamlErrorCode, string, IdpMetadataOptions?][] = [
  ['unsigned when a signature is required', 'SAML_SIGNATURE_MISSING', entity(), { signedBy }],
  ['signed by another key', 'SAML_SIGNATURE_INVALID', signMetadata(dated(), { key: 'attacker' }), { signedBy }],
  [
    'signed by the provider’s own key instead of the federation’s',
    'SAML_SIGNATURE_INVALID',
    signMetadata(dated(), { key: 'idp' }),
    { signedBy },
  ],
  ['signature over one child only', 'SAML_SIGNATURE_MISSING', entities(signMetadata(entity(), { key: 'other' })), { signedBy }],
  [
    'changed after it was signed',
    'SAML_SIGNATURE_INVALID',
    signMetadata(dated(), { key: 'other' }).replace(idp.sso, 'https://evil.example/sso'),
    { signedBy },
  ],
  [
    'sha1',
    'SAML_SIGNATURE_ALGORITHM',
    signMetadata(dated(), { key: 'other', signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
    { signedBy },
  ],
  ['expired', 'SAML_METADATA_EXPIRED', entity(until(-1))],
  ['expires right now', 'SAML_METADATA_EXPIRED', entity(until(0))],
  [
    'signed and valid for a year',
    'SAML_METADATA_EXPIRED',
    signMetadata(entity(until(365 * day)), { key: 'other' }),
    { signedBy },
  ],
  ['valid for a year, where that is too long', 'SAML_METADATA_EXPIRED', entity(until(365 * day)), { maxValidityDays: 30 }],
  ['signed without validUntil', 'SAML_METADATA_EXPIRED', signMetadata(entity(), { key: 'other' }), { signedBy }],
  ['validUntil missing where it is required', 'SAML_METADATA_EXPIRED', entity(), { requireValidUntil: true }],
  ['the role has expired', 'SAML_METADATA_EXPIRED', entity({ roleAttributes: ` validUntil="${at(-1)}"` })],
  [
    'the aggregate has expired',
    'SAML_METADATA_EXPIRED',
    entities(entity({ attributes: '' }), ` ID="_all" validUntil="${at(-1)}"`),
  ],
  ['one entity ID twice', 'SAML_METADATA_INVALID', entities(entity({ attributes: '' }) + entity({ attributes: '' }))],
  ['an http address', 'SAML_METADATA_ENDPOINT', entity({ sso: endpoint('SingleSignOnService', 'http://idp.example.edu/sso') })],
  [
    'a javascript: address (javascript: addresses)',
    'SAML_METADATA_ENDPOINT',
    entity({ sso: endpoint('SingleSignOnService', 'javascript:alert(1)') }),
  ],
  ['a data: address', 'SAML_METADATA_ENDPOINT', entity({ sso: endpoint('SingleSignOnService', 'data:text/html,x') })],
  [
    'a javascript: address for logout',
    'SAML_METADATA_ENDPOINT',
    entity({ slo: endpoint('SingleLogoutService', 'javascript:alert(1)') }),
  ],
  [
    'an address with a password',
    'SAML_METADATA_ENDPOINT',
    entity({ sso: endpoint('SingleSignOnService', 'https://a:b@idp.example.edu/') }),
  ],
  [
    'an address with a fragment',
    'SAML_METADATA_ENDPOINT',
    entity({ sso: endpoint('SingleSignOnService', 'https://idp.example.edu/#x') }),
  ],
  ['a relative address', 'SAML_METADATA_ENDPOINT', entity({ sso: endpoint('SingleSignOnService', '/sso') })],
  ['no key', 'SAML_KEY', entity({ keys: '' })],
  ['only an encryption key', 'SAML_KEY', entity({ keys: keyDescriptor('idp', ' use="encryption"') })],
  ['only a key of 1024 bits', 'SAML_KEY', entity({ keys: keyDescriptor('weak') })],
  ['a certificate that is none', 'SAML_KEY', entity().replace(testKey('idp').base64, 'AAAA')],
  [
    'only SAML 1.1',
    'SAML_METADATA_INVALID',
    entity().replace('urn:oasis:names:tc:SAML:2.0:protocol"', 'urn:oasis:names:tc:SAML:1.1:protocol"'),
  ],
  ['no single sign-on', 'SAML_SCHEMA_INVALID', entity({ sso: '' })],
  ['a DOCTYPE', 'SAML_XML_DOCTYPE', `<!DOCTYPE a>${entity()}`],
  ['a comment within a tag', 'SAML_XML_MALFORMED', entity().replace('<md:IDPSSODescriptor', '<md:IDPSSO<!-- -->Descriptor')],
  ['a comment within an attribute', 'SAML_XML_MALFORMED', entity().replace('entityID="', 'entityID="<!-- -->')],
  ['a comment with -- in it', 'SAML_XML_MALFORMED', `${entity()}<!-- a -- b -->`],
  ['a comment without end', 'SAML_XML_MALFORMED', `${entity()}<!-- a`],
  ['a comment that hides a DOCTYPE', 'SAML_XML_DOCTYPE', `<!--a--><!DOCTYPE a>${entity()}`],
  ['a comment that comes out of a comment', 'SAML_XML_MALFORMED', `<!-<!-- x -->- y -->${entity()}`],
  ['a processing instruction', 'SAML_XML_DOCTYPE', `${entity()}<?x y?>`],
  ['CDATA', 'SAML_XML_DOCTYPE', entity().replace('urn:f', '<![CDATA[urn:f]]>')],
  ['not metadata', 'SAML_METADATA_INVALID', '<a xmlns="urn:x"/>'],
  [
    'a key instead of metadata',
    'SAML_METADATA_INVALID',
    '<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:KeyName>a</ds:KeyName></ds:KeyInfo>',
  ],
  ['larger than the cap', 'SAML_MESSAGE_TOO_LARGE', entity(), { maxBytes: 100 }],
];

describe('metadata of an identity provider is refused', () => {
  test.each(faults)('%s: %s', (_name, code, xml, options) => {
    expect(() => read(xml, options)).toThrow(refusal(code));
  });

  test('refuses 80 MB by the limit, before parsing', () => {
    expect(() => read('x'.repeat(80_000_000))).toThrow(refusal('SAML_MESSAGE_TOO_LARGE'));
  });

  test('signed by the federation it is read from the signed bytes', () => {
    expect(read(signMetadata(dated(), { key: 'other' }), { signedBy })[0]?.entityId).toBe(idp.entityId);
    expect(read(signMetadata(aggregate(entity({ attributes: '' })), { key: 'other' }), { signedBy })[0]?.entityId).toBe(
      idp.entityId,
    );
  });
});
