import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type IdpMetadataOptions, readIdpMetadata, readMetadata } from '../../src/idp/idp-metadata.ts';
import { loadKeyPair, publicKeyOfCertificate, requireStrongKey } from '../../src/keys/key-material.ts';
import { isSafeEndpoint } from '../../src/values/safe-endpoint.ts';
import { bindings, ns } from '../../src/xml/names.ts';
import { endpoint, entities, entity, keyDescriptor, signMetadata } from '../support/idp-metadata-fixture.ts';
import { testKey } from '../support/keys.ts';
import { refusalIn } from '../support/refusal.ts';
import { countDisposed } from '../support/stand-in.ts';
import { at, createServiceProvider, idp, now } from '../support/world.ts';

// What metadata may say, at each limit, and every part that is read of it.

const read = (xml: string, options: IdpMetadataOptions = {}) => readIdpMetadata(xml, { now, ...options });
const one = (xml: string) => read(xml)[0];

describe('cacheDuration of metadata', () => {
  const kept = (cacheDuration: string) =>
    readMetadata(entity({ attributes: ` ID="_md1" cacheDuration="${cacheDuration}"` }), { now }).cacheSeconds;

  test.each([
    ['P1D', 86_400],
    ['PT2H', 7200],
    ['PT3M', 180],
    ['PT4S', 4],
    ['P12DT11H10M13.25S', 12 * 86_400 + 11 * 3600 + 613],
    ['P0Y0M0DT0H10M0.000S', 600],
    ['P00Y00M1D', 86_400],
    ['PT123456789S', 123_456_789],
    ['P1Y', undefined],
    ['P1M', undefined],
    ['-PT5S', undefined],
    ['PT1.S', undefined],
  ])('%s: %s seconds', (text, seconds) => {
    expect(kept(text)).toBe(seconds);
  });

  test('reads nothing if nothing is said', () => {
    expect(readMetadata(entity(), { now }).cacheSeconds).toBeUndefined();
  });
});

describe('validUntil of metadata', () => {
  const until = (seconds: number) => ` ID="_md1" validUntil="${at(seconds)}"`;
  const signedBy = [testKey('other').certificate];
  const signed = (seconds: number) => signMetadata(entity({ attributes: until(seconds) }), { key: 'other' });
  const day = 86_400;

  test('has passed at its very moment, and may be 30 days away', () => {
    expect(() => read(entity({ attributes: until(0) }))).toThrow(refusalIn('SAML_METADATA_EXPIRED', /expired at "2026-/));
    expect(read(entity({ attributes: until(1) }))).toHaveLength(1);
    expect(read(signed(30 * day), { signedBy })).toHaveLength(1);
    expect(() => read(signed(30 * day + 1), { signedBy })).toThrow(
      refusalIn('SAML_METADATA_EXPIRED', /^validUntil "2026-.* is too far in the future/),
    );
    expect(read(entity({ attributes: until(4000 * day) }))).toHaveLength(1);
  });

  test('counts the earliest one, wherever it is', () => {
    const nested = (outer: number, inner: number, role?: number) =>
      read(
        entities(
          entity({ attributes: until(inner), ...(role === undefined ? {} : { roleAttributes: ` validUntil="${at(role)}"` }) }),
          ` ID="_all" validUntil="${at(outer)}"`,
        ),
      )[0]?.validUntil;
    const date = (seconds: number) => new Date(at(seconds));
    expect(nested(100, 200)).toEqual(date(100));
    expect(nested(200, 100)).toEqual(date(100));
    expect(nested(300, 200, 100)).toEqual(date(100));
    expect(one(entity())?.validUntil).toBeUndefined();
    expect(one(entities(entity({ attributes: until(50) })))?.validUntil).toEqual(date(50));
  });
});

describe('endpoints', () => {
  const both = (location: string, response: string) =>
    `<md:SingleSignOnService Binding="${bindings.redirect}" Location="${location}" ResponseLocation="${response}"/>`;

  test('ignores white space around an address', () => {
    const found = one(entity({ sso: both(` ${idp.sso}\n`, `\t${idp.slo} `) }));
    expect(found?.singleSignOn).toEqual([{ binding: bindings.redirect, location: idp.sso, responseLocation: idp.slo }]);
  });

  test('leaves out plain http; any other unsafe address invalidates the entity', () => {
    const good = endpoint('SingleSignOnService', idp.sso, bindings.post);
    const plain = idp.sso.replace('https', 'HTTP');
    for (const pair of [both(idp.sso, plain), both(plain, idp.sso), both(plain, plain)])
      expect(one(entity({ sso: pair + good }))?.singleSignOn).toHaveLength(1);
    for (const pair of [
      both(plain, 'javascript:a()'),
      both('javascript:a()', idp.sso),
      both(idp.sso, 'x-http://idp.example.edu'),
    ])
      expect(() => read(entity({ sso: pair + good }))).toThrow(refusalIn('SAML_METADATA_ENDPOINT', /is not an https address/));
  });

  test.each([
    ['https://a.example', true],
    ['http://127.0.0.1:1/', true],
    ['http://[::1]/', true],
    ['http://localhost/', true],
    ['http://localhost.example/', false],
    ['ftp://127.0.0.1/', false],
    ['https://u@a.example', false],
    ['https://:p@a.example', false],
    ['https://a.example/#f', false],
    ['https://a.example/#', false],
    ['https://a.example/ b', false],
    ['', false],
  ])('%j is safe: %s', (address, safe) => {
    expect(isSafeEndpoint(address)).toBe(safe);
  });

  test('refuses an unsafe address in the options by name', () => {
    expect(() => createServiceProvider({ assertionConsumerServiceUrl: 'http://sp.example.org' })).toThrow(
      refusalIn('SAML_CONFIG_INVALID', /https address/),
    );
  });

  test('reads SOAP endpoints for artifacts, the first of each index', () => {
    const ars = (index: number, location: string, binding: string = bindings.soap) =>
      `<md:ArtifactResolutionService Binding="${binding}" Location="${location}" index="${index}"/>`;
    const found = one(
      entity({
        keys:
          keyDescriptor('idp') +
          ars(0, `${idp.sso}/a`) +
          ars(0, `${idp.sso}/b`) +
          ars(2, `${idp.sso}/c`) +
          ars(3, `${idp.sso}/d`, bindings.post),
      }),
    );
    expect(found?.artifactResolution).toEqual([
      { index: 0, location: `${idp.sso}/a` },
      { index: 2, location: `${idp.sso}/c` },
    ]);
  });
});

describe('other parts of an entity', () => {
  test.each([
    ['', false, undefined],
    [' WantAuthnRequestsSigned="true"', true, undefined],
    [' WantAuthnRequestsSigned="1"', true, undefined],
    [' WantAuthnRequestsSigned="false" errorURL="https://idp.example.edu/error"', false, 'https://idp.example.edu/error'],
    [' errorURL="javascript:a()"', false, undefined],
  ])('role attributes%s', (roleAttributes, wantAuthnRequestsSigned, errorUrl) => {
    expect(one(entity({ roleAttributes }))).toMatchObject({ wantAuthnRequestsSigned, errorUrl });
  });

  test('skips roles of other protocols, whose names are separated by white space', () => {
    const other = entity().replace(`protocolSupportEnumeration="${ns.samlp}"`, 'protocolSupportEnumeration="urn:other"');
    expect(() => read(other)).toThrow(refusalIn('SAML_METADATA_INVALID', /no usable SAML 2\.0 identity provider/));
    const many = entity().replace(
      `protocolSupportEnumeration="${ns.samlp}"`,
      `protocolSupportEnumeration="urn:a \n ${ns.samlp}"`,
    );
    expect(read(many)).toHaveLength(1);
  });

  const display = (inside: string, before = '', behind = '') =>
    one(
      entity({
        extensions: before,
        keys: `<md:Extensions><mdui:UIInfo xmlns:mdui="${ns.mdui}">${inside}</mdui:UIInfo></md:Extensions>${keyDescriptor('idp')}`,
      }).replace('</md:EntityDescriptor>', `${behind}</md:EntityDescriptor>`),
    )?.display;
  const organization =
    '<md:Organization><md:OrganizationName xml:lang="en">o</md:OrganizationName><md:OrganizationDisplayName xml:lang="EN">Org</md:OrganizationDisplayName><md:OrganizationURL xml:lang="en">https://o.example</md:OrganizationURL></md:Organization>';
  const category = (value: string) =>
    `<md:Extensions><mdattr:EntityAttributes xmlns:mdattr="${ns.mdattr}"><saml:Attribute xmlns:saml="${ns.saml}" Name="http://macedir.org/entity-category"><saml:AttributeValue>urn:other</saml:AttributeValue><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute></mdattr:EntityAttributes></md:Extensions>`;

  test('reads everything that a chooser shows', () => {
    const logo = (attributes: string, url = 'https://idp.example.edu/a.png') => `<mdui:Logo ${attributes}>${url}</mdui:Logo>`;
    const shown = display(
      '<mdui:DisplayName xml:lang="EN">Name</mdui:DisplayName><mdui:DisplayName xml:lang="de"> </mdui:DisplayName><mdui:DisplayName xml:lang="fr">a<b/></mdui:DisplayName>' +
        `<mdui:Description xml:lang="en">${'d'.repeat(1001)}</mdui:Description><mdui:Keywords xml:lang="en"> one two\n three </mdui:Keywords>` +
        logo('width="16" height="32"') +
        logo('width="1" height="2" xml:lang="de"') +
        logo('width="1.5" height="2"') +
        logo('width="1" height="x"') +
        logo('width="1" height="2"', 'data:image/png;base64,AAAA'),
      category('http://refeds.org/category/hide-from-discovery'),
      organization,
    );
    expect(shown).toEqual({
      names: { en: 'Name' },
      descriptions: { en: 'd'.repeat(1000) },
      keywords: ['one', 'two', 'three'],
      logos: [
        { url: 'https://idp.example.edu/a.png', width: 16, height: 32, language: undefined },
        { url: 'https://idp.example.edu/a.png', width: 1, height: 2, language: 'de' },
      ],
      hidden: true,
    });
  });

  test('falls back to the name of the organization, and hides only on request', () => {
    expect(display('', category('urn:x'), organization)).toEqual({
      names: { en: 'Org' },
      descriptions: {},
      keywords: [],
      logos: [],
      hidden: false,
    });
    expect(display(`<mdui:DisplayName xml:lang="${'x'.repeat(40)}">n</mdui:DisplayName>`)?.names).toEqual({
      ['x'.repeat(35)]: 'n',
    });
    expect(display('<mdui:DisplayName>n</mdui:DisplayName>')?.names).toEqual({ '': 'n' });
  });

  test('reads a bare RSA key if there is no certificate', () => {
    const { n = '', e = '' } = createPublicKey(testKey('idp').privateKey).export({ format: 'jwk' }) as { n?: string; e?: string };
    const base64 = (text: string) =>
      Buffer.from(text, 'base64url')
        .toString('base64')
        .replace(/(.{64})/g, '$1\n  ');
    const value = (inside: string, more = '') =>
      `<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:KeyValue>${inside}</ds:KeyValue>${more}</ds:KeyInfo></md:KeyDescriptor>`;
    const rsa = `<ds:RSAKeyValue><ds:Modulus>\n${base64(n)}</ds:Modulus><ds:Exponent>${base64(e)}</ds:Exponent></ds:RSAKeyValue>`;
    const [key] = one(entity({ keys: value(rsa) }))?.signingKeys ?? [];
    expect(key?.equals(createPublicKey(testKey('idp').privateKey))).toBe(true);
    const certificate = `<ds:X509Data><ds:X509Certificate>${testKey('other').base64}</ds:X509Certificate></ds:X509Data>`;
    const keys = one(entity({ keys: value(rsa, certificate) }))?.signingKeys ?? [];
    expect(keys.map(found => found.equals(publicKeyOfCertificate(testKey('other').certificate)))).toEqual([true]);
    expect(() => read(entity({ keys: value('<ds:DSAKeyValue><ds:Y>AAAA</ds:Y></ds:DSAKeyValue>') }))).toThrow(
      refusalIn('SAML_KEY', /no usable signing key/),
    );
    expect(() =>
      read(entity({ keys: '<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data/></ds:KeyInfo></md:KeyDescriptor>' })),
    ).toThrow(expect.objectContaining({ name: 'SamlError' }));
  });

  test('reports what is left out of an aggregate by name, but throws our own mistakes', () => {
    const told: [string, string][] = [];
    const onLeftOut = (name: string, error: { code: string }) => told.push([name, error.code]);
    const bad = entity({ keys: '', attributes: '' }, 'https://bad.example');
    expect(read(entities(bad + entity({ attributes: '' })), { onLeftOut })).toHaveLength(1);
    expect(told).toEqual([['https://bad.example', 'SAML_KEY']]);
    const broken = () => {
      throw new TypeError('a fault of the caller');
    };
    expect(() => read(entities(bad + bad), { onLeftOut: broken })).toThrow(TypeError);
  });

  test('reads bytes, and refuses what is not metadata', () => {
    expect(readIdpMetadata(Buffer.from(entity()), { now })).toHaveLength(1);
    expect(() => read('<a/>')).toThrow(refusalIn('SAML_METADATA_INVALID', /not SAML metadata/));
    expect(() => read(`<md:Organization xmlns:md="${ns.md}"/>`)).toThrow(refusalIn('SAML_METADATA_INVALID', /not SAML metadata/));
    expect(() => read(entities(entity({ attributes: ' ID="_all"' })))).toThrow(refusalIn('SAML_DUPLICATE_ID', /^duplicate ID /));
    expect(() => read(entity(), { now: new Date(Number.NaN) })).toThrow(
      refusalIn('SAML_CONFIG_INVALID', /^options\.now: expected a Date/),
    );
    expect(() => read(entity(), { signedBy: [5 as never] })).toThrow(
      refusalIn('SAML_CONFIG_INVALID', /^options\.signedBy\[0\]: expected a PEM text or a KeyObject/),
    );
  });

  test('disposes of a document that it refuses', () => {
    expect(countDisposed(() => expect(() => read('<a/>')).toThrow())).toBe(1);
  });

  test('accepts SHA-1 only if allowed, and keys as PEM or KeyObject', () => {
    const dsig = 'http://www.w3.org/2000/09/xmldsig#';
    const xml = signMetadata(entity({ attributes: ` ID="_md1" validUntil="${at(60)}"` }), {
      key: 'other',
      signatureAlgorithm: `${dsig}rsa-sha1`,
      digestAlgorithm: `${dsig}sha1`,
    });
    const key = publicKeyOfCertificate(testKey('other').certificate);
    const pem = key.export({ type: 'spki', format: 'pem' }).toString();
    for (const given of [key, pem, testKey('other').certificate]) {
      expect(read(xml, { signedBy: [given], dangerouslyAllowSha1: true })).toHaveLength(1);
      expect(() => read(xml, { signedBy: [given] })).toThrow(expect.objectContaining({ code: 'SAML_SIGNATURE_ALGORITHM' }));
    }
  });
});

describe('keys', () => {
  const pairOf = (name: 'sp' | 'sp-next', change: object = {}) => ({
    privateKey: testKey(name).privateKey,
    certificate: testKey(name).certificate,
    ...change,
  });

  test.each([
    ['RSA of 1024 bits', () => publicKeyOfCertificate(testKey('weak').certificate), /RSA key of 1024 bits is too short/],
    [
      'RSA-PSS of 1024 bits',
      () => generateKeyPairSync('rsa-pss', { modulusLength: 1024 } as never).publicKey,
      /of 1024 bits is too short/,
    ],
    [
      'an exponent of 3',
      () => generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }).publicKey,
      /exponent below 65537/,
    ],
    [
      'a curve of 256 bits of another kind',
      () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey,
      /type ec is not accepted/,
    ],
    ['Ed25519', () => generateKeyPairSync('ed25519').publicKey, /type ed25519 is not accepted/],
  ] as const)('refuses: %s', (_name, make, words) => {
    expect(() => requireStrongKey(make() as never)).toThrow(refusalIn('SAML_KEY', words));
  });

  test.each(['P-256', 'P-384', 'P-521'])('accepts EC on %s', namedCurve => {
    const key = generateKeyPairSync('ec', { namedCurve }).publicKey;
    expect(requireStrongKey(key)).toBe(key);
  });

  test('accepts only a matching pair, as PEM or KeyObject', () => {
    const pem = testKey('sp').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    for (const privateKey of [pem, testKey('sp').privateKey]) {
      const loaded = loadKeyPair(pairOf('sp', { privateKey }));
      expect(loaded.certificate).toBe(testKey('sp').base64);
      expect(loaded.privateKey.equals(testKey('sp').privateKey)).toBe(true);
    }
    const cause = expect.any(Error) as Error;
    const refused = (change: object, words: string, more = {}) =>
      expect(() => loadKeyPair(pairOf('sp', change))).toThrow(
        expect.objectContaining({ code: 'SAML_KEY', message: words, ...more }),
      );
    refused({ certificate: testKey('other').certificate }, 'a certificate does not belong to its private key');
    refused({ privateKey: 'text' }, 'a private key cannot be read', { cause });
    refused({ certificate: 'text' }, 'a certificate cannot be read', { cause });
    refused(
      { privateKey: testKey('weak').privateKey, certificate: testKey('weak').certificate },
      'an RSA key of 1024 bits is too short',
    );
  });

  test('refuses by name anything other than a private key', () => {
    for (const privateKey of [createPublicKey(testKey('sp').privateKey), 5])
      expect(() => createServiceProvider({ signingKeys: [pairOf('sp', { privateKey }) as never] })).toThrow(
        refusalIn('SAML_CONFIG_INVALID', /^options\.signingKeys\[0\]\.privateKey: expected a PEM text or a private KeyObject/),
      );
  });
});
