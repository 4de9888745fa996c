import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { findSubjectId } from '../src/assertion/subject-id.ts';
import { readIdpMetadata } from '../src/idp/idp-metadata.ts';
import { readLargeMetadata } from '../src/idp/large-metadata.ts';
import { signXml } from '../src/keys/signing.ts';
import { readSoapBody } from '../src/messages/soap.ts';
import { renderAssertionGrant, saml2BearerClientAssertion } from '../src/tokens/token-exchange.ts';
import { isSameAddress } from '../src/values/network-address.ts';
import { flag, fn, having, listOf, number, optional, type Reader, readShape, shape, text } from '../src/values/shape.ts';
import { bindings, ns } from '../src/xml/names.ts';
import { testKey } from './support/keys.ts';
import { refusalIn } from './support/refusal.ts';
import { createServiceProvider, idp, knownIdp, now, pendingLogout, sp } from './support/world.ts';

// What is written, to the letter, and what options and envelopes may be, at their limits.

const pair = (name: 'sp' | 'sp-next') => ({ privateKey: testKey(name).privateKey, certificate: testKey(name).certificate });

describe('the text of our metadata', () => {
  const written = (options: object, configuration: object = {}) =>
    createServiceProvider({ decryptionKeys: [], signingKeys: [], ...configuration }).metadata(options as never);
  const [head, support] = [
    `<md:EntityDescriptor xmlns:md="${ns.md}" xmlns:ds="${ns.ds}" ID="_" entityID="${sp.entityId}">`,
    '<alg:DigestMethod xmlns:alg="urn:oasis:names:tc:SAML:metadata:algsupport" Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/>' +
      '<alg:SigningMethod xmlns:alg="urn:oasis:names:tc:SAML:metadata:algsupport" Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>' +
      '<alg:SigningMethod xmlns:alg="urn:oasis:names:tc:SAML:metadata:algsupport" Algorithm="http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"/>',
  ];
  const role = (signed: boolean) =>
    `<md:SPSSODescriptor AuthnRequestsSigned="${signed}" WantAssertionsSigned="true" protocolSupportEnumeration="${ns.samlp}">`;
  const consumers = (...urls: string[]) =>
    urls
      .map(
        (url, at) =>
          `<md:AssertionConsumerService Binding="${bindings.post}" Location="${url}" index="${at * 2}"${at === 0 ? ' isDefault="true"' : ''}/>` +
          `<md:AssertionConsumerService Binding="${bindings.paos}" Location="${url}" index="${at * 2 + 1}"/>`,
      )
      .join('');
  const withoutId = (xml: string) => xml.replace(/ ID="_[0-9a-f]{40}"/, ' ID="_"');

  test('without options', () => {
    expect(withoutId(written({}, { singleLogoutServiceUrl: undefined }))).toBe(
      `${head}<md:Extensions>${support}</md:Extensions>${role(false)}${consumers(sp.acs)}</md:SPSSODescriptor></md:EntityDescriptor>`,
    );
  });

  test('with all options', () => {
    const two = `${sp.acs}/two`;
    const xml = written(
      {
        subjectId: 'any',
        nameIdFormats: ['urn:a', 'urn:b'],
        display: {
          names: { en: 'Notes', 'de-CH-1996': 'Notizen' },
          descriptions: { en: 'Notebooks' },
          informationUrls: { en: 'https://sp.example.org/about' },
          privacyUrls: { en: 'https://sp.example.org/privacy' },
          logos: [
            { url: 'https://sp.example.org/a.png', width: 64, height: 32 },
            { url: 'https://sp.example.org/b.png', width: 16, height: 16, language: 'en' },
          ],
        },
        organization: { names: { en: 'Example' }, displayNames: { en: 'Example Ltd' }, urls: { en: 'https://www.example.org' } },
        contacts: [
          { type: 'other' },
          {
            type: 'support',
            company: 'C',
            givenName: 'G',
            surname: 'S',
            emails: ['mailto:a@b.c', 'd@mailto:'],
            telephones: ['1', '2'],
          },
        ],
        requestedAttributes: {
          serviceNames: { en: 'Notes' },
          attributes: [{ name: 'urn:a', friendlyName: 'a', nameFormat: 'urn:f', required: false }, { name: 'urn:b' }],
        },
      },
      {
        signingKeys: [pair('sp')],
        decryptionKeys: [pair('sp')],
        assertionConsumerServiceUrl: [sp.acs, two],
        discoveryResponseUrl: 'https://sp.example.org/disco',
        artifactResolution: {},
      },
    );
    const key = (use: string, methods = '') =>
      `<md:KeyDescriptor use="${use}"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${testKey('sp').base64}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>${methods}</md:KeyDescriptor>`;
    const methods = [
      '2009/xmlenc11#aes256-gcm',
      '2009/xmlenc11#aes128-gcm',
      '2009/xmlenc11#rsa-oaep',
      '2001/04/xmlenc#rsa-oaep-mgf1p',
    ]
      .map(name => `<md:EncryptionMethod Algorithm="http://www.w3.org/${name}"/>`)
      .join('');
    const format = 'NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:uri"';
    expect(withoutId(xml)).toBe(
      `${head}<md:Extensions><mdattr:EntityAttributes xmlns:mdattr="${ns.mdattr}"><saml:Attribute xmlns:saml="${ns.saml}" Name="urn:oasis:names:tc:SAML:profiles:subject-id:req" ${format}>` +
        `<saml:AttributeValue>any</saml:AttributeValue></saml:Attribute></mdattr:EntityAttributes>${support}</md:Extensions>${role(true)}` +
        `<md:Extensions><mdui:UIInfo xmlns:mdui="${ns.mdui}"><mdui:DisplayName xml:lang="en">Notes</mdui:DisplayName><mdui:DisplayName xml:lang="de-CH-1996">Notizen</mdui:DisplayName>` +
        '<mdui:Description xml:lang="en">Notebooks</mdui:Description><mdui:Logo height="32" width="64">https://sp.example.org/a.png</mdui:Logo>' +
        '<mdui:Logo height="16" width="16" xml:lang="en">https://sp.example.org/b.png</mdui:Logo><mdui:InformationURL xml:lang="en">https://sp.example.org/about</mdui:InformationURL>' +
        '<mdui:PrivacyStatementURL xml:lang="en">https://sp.example.org/privacy</mdui:PrivacyStatementURL></mdui:UIInfo>' +
        `<idpdisc:DiscoveryResponse xmlns:idpdisc="${ns.idpdisc}" index="0" Binding="${ns.idpdisc}" Location="https://sp.example.org/disco"/></md:Extensions>` +
        key('signing') +
        key('encryption', methods) +
        [bindings.redirect, bindings.post, bindings.soap]
          .map(binding => `<md:SingleLogoutService Binding="${binding}" Location="${sp.slo}"/>`)
          .join('') +
        `<md:NameIDFormat>urn:a</md:NameIDFormat><md:NameIDFormat>urn:b</md:NameIDFormat>${consumers(sp.acs, two)}` +
        [sp.acs, two]
          .map((url, at) => `<md:AssertionConsumerService Binding="${bindings.artifact}" Location="${url}" index="${at + 4}"/>`)
          .join('') +
        '<md:AttributeConsumingService index="1" isDefault="true"><md:ServiceName xml:lang="en">Notes</md:ServiceName>' +
        `<md:RequestedAttribute Name="urn:a" NameFormat="urn:f" FriendlyName="a" isRequired="false"/><md:RequestedAttribute Name="urn:b" ${format}/></md:AttributeConsumingService>` +
        '</md:SPSSODescriptor><md:Organization><md:OrganizationName xml:lang="en">Example</md:OrganizationName><md:OrganizationDisplayName xml:lang="en">Example Ltd</md:OrganizationDisplayName>' +
        '<md:OrganizationURL xml:lang="en">https://www.example.org</md:OrganizationURL></md:Organization><md:ContactPerson contactType="other"></md:ContactPerson>' +
        '<md:ContactPerson contactType="support"><md:Company>C</md:Company><md:GivenName>G</md:GivenName><md:SurName>S</md:SurName><md:EmailAddress>mailto:a@b.c</md:EmailAddress>' +
        '<md:EmailAddress>mailto:d@mailto:</md:EmailAddress><md:TelephoneNumber>1</md:TelephoneNumber><md:TelephoneNumber>2</md:TelephoneNumber></md:ContactPerson></md:EntityDescriptor>',
    );
  });

  test.each([
    [null],
    ['text'],
    [{ '': 'a' }],
    [{ e: 'a' }],
    [{ 'en!': 'a' }],
    [{ ' en': 'a' }],
    [{ 'en-123456789': 'a' }],
    [{ 'en-!': 'a' }],
    [{ en: '' }],
    [{ en: 1 }],
    [{ en: 'a', 'e n': 'b' }],
  ])('refuses texts by language: %j', names => {
    expect(() => written({ display: { names } })).toThrow(
      refusalIn('SAML_CONFIG_INVALID', /^options\.display\.names: expected texts by language tag/),
    );
  });

  test('refuses to sign without a key', () => {
    expect(() => written({ sign: true })).toThrow(refusalIn('SAML_CONFIG_INVALID', /without a signing key/));
  });
});

describe('the options', () => {
  const read = <T>(value: unknown, reader: Reader<T>) => readShape(value, 'x', reader);
  test.each<[string, unknown, Reader<unknown>, string]>([
    ['null', null, flag, 'x: expected true or false, got null'],
    ['a list', [], flag, 'x: expected true or false, got an array'],
    ['a number', 5, flag, 'x: expected true or false, got the number 5'],
    ['no number', Number.NaN, flag, 'x: expected true or false, got NaN'],
    ['nothing', undefined, flag, 'x: expected true or false, got undefined'],
    ['an object', {}, flag, 'x: expected true or false, got an object'],
    ['text', 'true', flag, 'x: expected true or false, got a string'],
    ['yes or no', true, text(), 'x: expected a string that is not empty, got true'],
    ['an empty text', '', text(), 'x: expected a string that is not empty, got a string'],
    ['less than the least', 0, number(1, 2), 'x: expected a number from 1 to 2, got the number 0'],
    ['more than the most', 3, number(1, 2), 'x: expected a number from 1 to 2, got the number 3'],
    ['no function', {}, fn(), 'x: expected a function, got an object'],
    ['null for a store', null, having('a store', 'claim'), 'x: expected a store, got null'],
    ['a store without its method', { claim: 1 }, having('a store', 'claim'), 'x: expected a store, got an object'],
    ['a longer list', [1, 2, 3], listOf(number(1, 9), 'numbers', 2), 'x: expected an array of numbers, got an array'],
    ['text for an object', 'x', shape({}), 'x: expected an object, got a string'],
    ['a list for an object', [], shape({}), 'x: expected an object, got an array'],
    ['a long unknown name', { ['n'.repeat(61)]: 1 }, shape({}), `x.${'n'.repeat(60)}: there is no such setting`],
  ])('refuses by name: %s', (_name, value, reader, message) => {
    expect(() => read(value, reader)).toThrow(expect.objectContaining({ code: 'SAML_CONFIG_INVALID', message }));
  });

  test('are accepted at their limits', () => {
    expect([1, 2].map(value => read(value, number(1, 2)))).toEqual([1, 2]);
    expect(read([1, 2], listOf(number(1, 9), 'numbers', 2))).toEqual([1, 2]);
    expect(read({}, shape({ a: optional(flag) }))).toEqual({});
    const broken = () => {
      throw new TypeError('a fault of ours');
    };
    expect(() => read(1, broken)).toThrow(TypeError);
  });
});

describe('the start of a sign-in', () => {
  const start = (request: object, options: object = {}) =>
    createServiceProvider(options).startSignIn(idp.entityId, request as never);

  test('keeps the return path and what was requested', async () => {
    expect((await start({})).pending).not.toHaveProperty('returnTo');
    expect((await start({})).pending.forceAuthn).toBe(false);
    expect((await start({ returnTo: '/a', forceAuthn: true })).pending).toMatchObject({ returnTo: '/a', forceAuthn: true });
  });

  test.each([
    [
      'options.artifactResolution is not set',
      { responseBinding: 'artifact' },
      {},
      'SAML_CONFIG_INVALID',
      /options\.artifactResolution is not set/,
    ],
    [
      'it publishes no such service',
      { responseBinding: 'artifact' },
      { artifactResolution: {} },
      'SAML_METADATA_ENDPOINT',
      /no artifact resolution service/,
    ],
    [
      'no key and it wants signatures',
      {},
      { signingKeys: [], identityProviders: [{ ...knownIdp(), wantAuthnRequestsSigned: true }] },
      'SAML_CONFIG_INVALID',
      /sign/,
    ],
    [
      'artifacts without a key',
      {},
      { signingKeys: [], artifactResolution: {} },
      'SAML_CONFIG_INVALID',
      /options\.artifactResolution: needs a signing key/,
    ],
  ] as const)('refuses: %s', async (_name, request, options, code, words) => {
    await expect((async () => start(request, options))()).rejects.toMatchObject({ code, message: expect.stringMatching(words) });
  });

  test('sends an unsigned request without a key if the provider allows it', async () => {
    expect((await start({}, { signingKeys: [] })).pending.identityProvider).toBe(idp.entityId);
  });
});

describe('a logout', () => {
  const subject = { nameId: { value: 'alice' }, sessionIndexes: [] };

  test('lives as long as a request, and keeps a return path only if given', async () => {
    const kept = (await createServiceProvider({ requestLifetimeSeconds: 100 }).startSignOut(idp.entityId, subject as never))
      .pending;
    expect(kept.expiresAt - kept.startedAt).toBe(100);
    expect(kept).not.toHaveProperty('returnTo');
    const told = await createServiceProvider().startSignOut(idp.entityId, { ...subject, returnTo: '/bye' } as never);
    expect(told.pending).toMatchObject({ returnTo: '/bye', startedAt: now.getTime() / 1000 });
  });

  test('needs POST and text for SOAP', async () => {
    const received = (method: string, body: unknown) =>
      createServiceProvider().receiveSoapLogout({ method, url: '/saml/slo', contentType: 'text/xml', body } as never);
    await expect(received('PUT', '<a/>')).rejects.toMatchObject({ code: 'SAML_HTTP_METHOD', message: 'SOAP must come by POST' });
    await expect(received('POST', { a: 1 })).rejects.toMatchObject({ code: 'SAML_CONFIG_INVALID' });
  });

  test('refuses an unsolicited response', async () => {
    const request = { method: 'GET', url: '/saml/slo' };
    await expect(createServiceProvider().receiveLogout(request as never, pendingLogout)).rejects.toMatchObject({
      name: 'SamlError',
    });
  });
});

describe('an envelope', () => {
  const expected = { namespace: ns.samlp, name: 'LogoutResponse' };
  const soap = (body: string, header = '') =>
    Buffer.from(
      `<s:Envelope xmlns:s="${ns.soap}">${header && `<s:Header>${header}</s:Header>`}<s:Body>${body}</s:Body></s:Envelope>`,
    );
  const read = (body: string, header?: string) => readSoapBody(soap(body, header), expected);
  const status = '<samlp:Status><samlp:StatusCode Value="urn:a"/></samlp:Status>';
  const answer = `<samlp:LogoutResponse xmlns:samlp="${ns.samlp}" ID="_a" Version="2.0" IssueInstant="2026-11-20T12:00:00Z">${status}</samlp:LogoutResponse>`;

  test('with a fault reports what the peer said', () => {
    const fault = (text: string) => `<s:Fault><faultcode>s:Server</faultcode>${text}</s:Fault>`;
    expect(() => read(fault('<faultstring>out of order</faultstring>'))).toThrow(
      refusalIn('SAML_SOAP_FAULT', /with a fault: "out of order"$/),
    );
  });

  test.each([
    ['nothing to understand', '<x:a xmlns:x="urn:x" m="1"/>'],
    ['one that need not be understood', '<x:a xmlns:x="urn:x" s:mustUnderstand="0"/>'],
    ['a word of another namespace', '<x:a xmlns:x="urn:x" x:mustUnderstand="1"/>'],
    ['another word of SOAP', '<x:a xmlns:x="urn:x" s:actor="1"/>'],
  ])('with a header, %s, is read', (_name, header) => {
    expect(Buffer.from(read(answer, header)).toString()).toContain('<samlp:LogoutResponse');
  });

  test('with an unknown header that must be understood is refused', () => {
    for (const more of ['', ' x:b="1"', ' s:actor="urn:a"'])
      expect(() => read(answer, `<x:a xmlns:x="urn:x" s:mustUnderstand="1"${more}/>`)).toThrow(
        refusalIn('SAML_STRUCTURE', /the SOAP header "a" is marked mustUnderstand/),
      );
  });
});

describe('network addresses', () => {
  test.each([
    ['::ffff:192.168.100.200', '192.168.100.200', true],
    ['::FFFF:c0a8:64c8', '192.168.100.200', true],
    ['[::ffff:192.168.100.200]', '192.168.100.200', true],
    ['::ffff:999.1.1.1', '::ffff:999.1.1.1', false],
    ['2001:db8::1', '[2001:DB8:0:0::1]', true],
    ['fe80::1%eth0', 'fe80::1', true],
    ['x[::1]', '::1', false],
    ['[::1]x', '::1', false],
    ['192.168.100.200', '192.168.100.20', false],
    ['', '', false],
  ])('%j and %j: %s', (left, right, same) => {
    expect(isSameAddress(left, right)).toBe(same);
    expect(isSameAddress(right, left)).toBe(same);
  });
});

describe('what we sign', () => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const keys = { privateKey: createPrivateKey(ec.export({ type: 'pkcs8', format: 'pem' })), certificate: 'AAAA' };

  test('has its signature first or after the Issuer, with the certificate', () => {
    const xml = '<a ID="_a"><Issuer>i</Issuer><b></b></a>';
    expect(signXml(xml, keys as never, 'first')).toMatch(/^<a ID="_a"><ds:Signature .*<\/ds:Signature><Issuer>/s);
    const behind = signXml(xml, keys as never, 'after-issuer');
    expect(behind).toMatch(/<\/Issuer><ds:Signature .*<\/ds:Signature><b/s);
    expect(behind).toContain('<ds:X509Data><ds:X509Certificate>AAAA</ds:X509Certificate></ds:X509Data>');
  });
});

test('lets a provider speak for each of its scopes, and without scopes for none', () => {
  const attribute = {
    name: 'urn:oasis:names:tc:SAML:attribute:subject-id',
    nameFormat: undefined,
    friendlyName: undefined,
    values: ['alice@example.edu'],
    structuredValues: [],
  };
  const find = (...scopes: string[]) => findSubjectId([attribute], 'subject-id', { ...knownIdp(), scopes });
  expect(find('example.org', 'example.edu')).toBe('alice@example.edu');
  expect(() => find()).toThrow(refusalIn('SAML_SUBJECT_ID', /^the scope "example\.edu" does not belong to its provider$/));
});

describe('refuses mistakes of the caller with a code', () => {
  const provider = createServiceProvider();
  const posted = { method: 'POST', url: '/saml/acs', contentType: 7, body: 'SAMLResponse=AAAA' } as never;

  test('a content type that is not text, in each method', async () => {
    const refused = refusalIn('SAML_CONFIG_INVALID', /^request: expected/);
    for (const work of [
      provider.finishSignIn(posted, undefined),
      provider.finishEcp(posted, undefined),
      provider.receiveLogout(posted, pendingLogout),
      provider.receiveSoapLogout(posted),
      provider.readDiscoveryAnswer(posted),
    ])
      await expect(work).rejects.toEqual(refused);
  });

  test.each([[undefined], [null], [7], [{}], [[idp.entityId, idp.entityId]]])(
    'the provider %j, as a query with two of them gives it',
    async entityId => {
      const refused = refusalIn('SAML_UNKNOWN_IDP', /is not configured/);
      await expect(provider.startSignIn(entityId as never)).rejects.toEqual(refused);
      await expect(provider.getIdentityProvider(entityId as never)).rejects.toEqual(refused);
    },
  );

  test.each([undefined, null, 7, {}])('metadata that is %j', async xml => {
    const refused = refusalIn('SAML_CONFIG_INVALID', /^xml: expected/);
    expect(() => readIdpMetadata(xml as never)).toThrow(refused);
    await expect(readLargeMetadata(xml as never)).rejects.toEqual(refused);
  });

  test.each([
    ['endpoint', undefined],
    ['endpoint.url', {}],
    ['endpoint.url', { audiences: ['https://as.example.org'] }],
    ['endpoint.url', { url: '' }],
    ['endpoint.audiences', { url: 'https://as.example.org/token', audiences: 'https://as.example.org' }],
    ['endpoint.audience', { url: 'https://as.example.org/token', audience: 'https://as.example.org' }],
  ])('%s of a token endpoint', async (path, endpoint) => {
    const refused = refusalIn('SAML_CONFIG_INVALID', new RegExp(`^${path}:`));
    const grant = renderAssertionGrant('<x/>');
    await expect(provider.verifyAssertionGrant(endpoint as never, grant)).rejects.toEqual(refused);
    const client = new URLSearchParams({ client_assertion_type: saml2BearerClientAssertion, client_assertion: 'AAAA' });
    await expect(provider.verifyClientAssertion(endpoint as never, client.toString())).rejects.toEqual(refused);
  });

  test.each([undefined, 7, {}])('a form that is %j', async body => {
    const endpoint = { url: 'https://as.example.org/token' };
    const refused = refusalIn('SAML_CONFIG_INVALID', /^body: expected/);
    await expect(provider.verifyAssertionGrant(endpoint, body as never)).rejects.toEqual(refused);
    await expect(provider.verifyClientAssertion(endpoint, body as never)).rejects.toEqual(refused);
  });
});
