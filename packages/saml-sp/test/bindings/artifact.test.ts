import { describe, expect, test } from 'vitest';
import { publicKeyOfCertificate } from '../../src/key-material.ts';
import { bindings, ns } from '../../src/names.ts';
import { MemoryReplayStore } from '../../src/replay.ts';
import { validateAgainstSchema } from '../../src/schema.ts';
import { verifyEnvelopedSignature } from '../../src/signature.ts';
import { readSoapBody } from '../../src/soap.ts';
import { parseUntrusted } from '../../src/xml.ts';
import {
  type ArtifactRecipe,
  artifactIdp,
  artifactOf,
  createArtifactProvider,
  finish,
  type Question,
  resolver,
  resolverOf,
  withArtifact,
} from '../support/artifact-fixture.ts';
import { testKey } from '../support/keys.ts';
import { buildResponse, type ResponseRecipe } from '../support/response.ts';
import { againstWrapping } from '../support/rule.ts';
import { at, createServiceProvider, idp, knownIdp, now, otherIdp, pending, postResponse, sp } from '../support/world.ts';

const responseOf = (recipe: ResponseRecipe): string => String(buildResponse(recipe));
const attempt = async (recipe: ArtifactRecipe, policy: Parameters<typeof artifactIdp>[0] = {}) =>
  await finish(createArtifactProvider(resolverOf(recipe), { identityProviders: [artifactIdp(policy), otherIdp()] }));

describe('an artifact becomes a sign-in (saml-bindings-2.0 3.6)', () => {
  const form = {
    method: 'POST',
    url: '/saml/acs',
    contentType: 'application/x-www-form-urlencoded',
    body: `SAMLart=${encodeURIComponent(artifactOf())}&RelayState=${pending.relayState}`,
  };

  test.each([
    ['GET', withArtifact()],
    ['POST', form],
    ['POST, read by a form parser', { ...form, body: Object.fromEntries(new URLSearchParams(form.body)) }],
    ['a web Request', new Request(`https://sp.example.org${withArtifact()}`)],
  ])('by %s', async (_name, request) => {
    expect(await finish(createArtifactProvider(resolverOf()), request)).toMatchObject({
      issuer: idp.entityId,
      nameId: { value: 'alice' },
      inResponseTo: pending.requestId,
      returnTo: '/notes',
    });
  });

  test('we ask once, signed, at the address of its index, and send nobody’s name', async () => {
    const asked: Question[] = [];
    const provider = createArtifactProvider(resolverOf({}, asked));
    expect(await finish(provider, withArtifact(artifactOf({ index: 3 })))).toMatchObject({ nameId: { value: 'alice' } });
    const [question, ...more] = asked;
    expect(more).toEqual([]);
    expect(question?.url).toBe(`${resolver}/3`);
    expect(question?.headers.get('soapaction')).toBe('"http://www.oasis-open.org/committees/security"');
    expect(question?.headers.get('content-type')).toContain('text/xml');
    const xml = readSoapBody(Buffer.from(question?.body ?? ''), { namespace: ns.samlp, name: 'ArtifactResolve' });
    using document = parseUntrusted(xml);
    validateAgainstSchema(document, 'protocol');
    const keys = [publicKeyOfCertificate(testKey('sp').certificate)];
    using verified = verifyEnvelopedSignature(document.root, { keys, allowSha1: false });
    expect(verified?.signedXml).toContain(`<samlp:Artifact>${artifactOf({ index: 3 })}</samlp:Artifact>`);
    expect(verified?.signedXml).toContain(`>${sp.entityId}</saml:Issuer>`);
    expect(verified?.signedXml).toContain(`Destination="${resolver}/3"`);
  });

  test.each<[string, ArtifactRecipe]>([
    ['all three signed', {}],
    ['only the ArtifactResponse signed', { carried: responseOf({ sign: 'none' }) }],
    ['only the Response signed', { sign: false, carried: responseOf({ sign: 'response' }) }],
    ['only the assertion signed', { sign: false, carried: responseOf({ sign: 'assertion' }) }],
    ['encrypted, only the ArtifactResponse signed', { carried: responseOf({ sign: 'none', encrypt: {} }) }],
    ['encrypted and signed within', { sign: false, carried: responseOf({ sign: 'assertion', encrypt: {} }) }],
    [
      'a Response without Destination: it was sent to no address',
      { carried: responseOf({ response: xml => xml.replace(/ Destination="[^"]*"/, '') }) },
    ],
    [
      'a prefix that only the envelope declares, in the name of a type',
      {
        carried: responseOf({
          sign: 'none',
          response: xml =>
            xml.replace('<saml:AttributeValue>', `<saml:AttributeValue xmlns:xsi="${ns.xsi}" xsi:type="xs:string">`),
        }),
        envelope: xml => xml.replace('<soap:Envelope ', '<soap:Envelope xmlns:xs="http://www.w3.org/2001/XMLSchema" '),
      },
    ],
  ])('%s', async (_name, recipe) => {
    expect(await attempt(recipe)).toMatchObject({ nameId: { value: 'alice' } });
  });

  test('a signed ArtifactResponse is a signed Response, but not a signed assertion', async () => {
    const recipe = { carried: responseOf({ sign: 'none' }) };
    expect(await attempt(recipe, { wantResponseSigned: true })).toMatchObject({ nameId: { value: 'alice' } });
    expect(await attempt(recipe, { wantAssertionsSigned: true })).toBe('SAML_SIGNATURE_MISSING');
    const assertionOnly = { sign: false, carried: responseOf({ sign: 'assertion' }) } as const;
    expect(await attempt(assertionOnly, { wantResponseSigned: true })).toBe('SAML_SIGNATURE_MISSING');
  });

  test('identity is read from what the ArtifactResponse signed', async () => {
    const changed = (xml: string) => xml.replace('>alice<', '>admin<');
    expect(await attempt({ carried: responseOf({ sign: 'none' }), signed: changed })).toBe('SAML_SIGNATURE_INVALID');
    expect(await attempt({ carried: responseOf({ sign: 'none' }), sign: false, signed: changed })).toBe('SAML_SIGNATURE_MISSING');
  });

  test('TLS alone is believed only where the policy says so, and only where it was TLS', async () => {
    const recipe = { sign: false, carried: responseOf({ sign: 'none' }) } as const;
    expect(await attempt(recipe)).toBe('SAML_SIGNATURE_MISSING');
    expect(await attempt(recipe, { dangerouslyTrustArtifactTls: true })).toMatchObject({ nameId: { value: 'alice' } });
    const loopback = artifactIdp({ dangerouslyTrustArtifactTls: true }, 'http://127.0.0.1:9/artifact');
    const provider = createArtifactProvider(resolverOf(recipe), { identityProviders: [loopback] });
    expect(await finish(provider)).toBe('SAML_SIGNATURE_MISSING');
  });
});

describe('an artifact that is not what it should be', () => {
  const other = otherIdp().entityId;
  test.each([
    ['of another provider', withArtifact(artifactOf({ entityId: other })), 'SAML_ARTIFACT'],
    ['of nobody', withArtifact(artifactOf({ entityId: 'https://nobody.example' })), 'SAML_ARTIFACT'],
    ['of an index that the metadata does not name', withArtifact(artifactOf({ index: 1 })), 'SAML_ARTIFACT'],
    ['of another type', withArtifact(artifactOf({ type: 1 })), 'SAML_ARTIFACT'],
    ['an octet short', withArtifact(Buffer.from(artifactOf(), 'base64').subarray(0, 43).toString('base64')), 'SAML_ARTIFACT'],
    [
      'an octet long',
      withArtifact(Buffer.concat([Buffer.from(artifactOf(), 'base64'), Buffer.from('x')]).toString('base64')),
      'SAML_ARTIFACT',
    ],
    ['in another spelling of the same octets', withArtifact(artifactOf().replace(/.=$/, 'B=')), 'SAML_ARTIFACT'],
    ['with a line break', withArtifact(artifactOf().replace(/^.{20}/, '$&\n')), 'SAML_ARTIFACT'],
    ['empty', withArtifact(''), 'SAML_ARTIFACT'],
    ['twice', `${withArtifact()}&SAMLart=${encodeURIComponent(artifactOf())}`, 'SAML_PARAMETER'],
    ['misspelt beside the right one', `${withArtifact()}&SAMLart[]=x`, 'SAML_PARAMETER'],
    ['with a Response beside it', `${withArtifact()}&SAMLResponse=PHg%2B`, 'SAML_PARAMETER'],
    ['with a request beside it', `${withArtifact()}&SAMLRequest=PHg%2B`, 'SAML_PARAMETER'],
    ['with a signature of the query', `${withArtifact()}&SigAlg=a&Signature=b`, 'SAML_PARAMETER'],
    ['with another RelayState', withArtifact(artifactOf(), 'relay-of-somebody-else'), 'SAML_RELAY_STATE'],
    ['in a query beyond all bounds', `${withArtifact()}&x=${'y'.repeat(20_000)}`, 'SAML_HTTP_METHOD'],
    ['by PUT', { method: 'PUT', url: withArtifact(), body: '' }, 'SAML_HTTP_METHOD'],
    ['in the query of a posted form', { ...postResponse(''), url: withArtifact() }, 'SAML_ENCODING'],
    [
      'posted with a Response beside it',
      {
        ...postResponse(buildResponse()),
        body: `${postResponse(buildResponse()).body}&SAMLart=${encodeURIComponent(artifactOf())}`,
      },
      'SAML_PARAMETER',
    ],
  ])('%s: refused before anybody is asked', async (_name, request, code) => {
    const asked: Question[] = [];
    expect(await finish(createArtifactProvider(resolverOf({}, asked)), request)).toBe(code);
    expect(asked).toEqual([]);
  });

  test.each([
    ['no sign-in under way', undefined, 'SAML_UNSOLICITED'],
    ['a sign-in that ran out', { ...pending, expiresAt: now.getTime() / 1000 }, 'SAML_REQUEST_EXPIRED'],
    ['a sign-in at another provider', { ...pending, identityProvider: otherIdp().entityId }, 'SAML_ARTIFACT'],
    ['a sign-in at a provider that is gone', { ...pending, identityProvider: 'https://gone.example' }, 'SAML_UNKNOWN_IDP'],
    ['a damaged sign-in', { ...pending, startedAt: '0' as never }, 'SAML_PENDING_INVALID'],
  ])('%s: refused before anybody is asked', async (_name, kept, code) => {
    const asked: Question[] = [];
    const identityProviders = [artifactIdp({ dangerouslyAllowUnsolicited: true }), otherIdp()];
    const provider = createArtifactProvider(resolverOf({}, asked), { identityProviders });
    const error = await provider.finishSignIn(withArtifact(), kept).catch(error => error);
    expect(error.code).toBe(code);
    expect(asked).toEqual([]);
  });

  test('switched off, or at a provider without a resolution service, none is taken', async () => {
    const off = createServiceProvider({ identityProviders: [artifactIdp()] });
    expect(await finish(off)).toBe('SAML_ARTIFACT');
    expect(await finish(createArtifactProvider(resolverOf(), { identityProviders: [knownIdp()] }))).toBe('SAML_ARTIFACT');
  });
});

describe('one use', () => {
  test('the same artifact again, another artifact for the same sign-in: nobody is asked again', async () => {
    const asked: Question[] = [];
    const provider = createArtifactProvider(resolverOf({}, asked));
    expect(await finish(provider)).toMatchObject({ nameId: { value: 'alice' } });
    expect(await finish(provider)).toBe('SAML_REPLAYED');
    expect(await finish(provider, withArtifact(artifactOf({ handle: 'i'.repeat(20) })))).toBe('SAML_REPLAYED');
    expect(asked).toHaveLength(1);
  });

  test('an artifact stolen into another sign-in: nobody is asked again', async () => {
    const asked: Question[] = [];
    const provider = createArtifactProvider(resolverOf({}, asked));
    await finish(provider);
    const thief = { ...pending, requestId: '_request2', relayState: 'relay-of-the-thief' };
    expect(await finish(provider, withArtifact(artifactOf(), thief.relayState), thief)).toBe('SAML_REPLAYED');
    expect(asked).toHaveLength(1);
  });

  test('of fifty at once one is asked for', async () => {
    const asked: Question[] = [];
    const provider = createArtifactProvider(resolverOf({}, asked));
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => finish(provider)));
    expect(outcomes.filter(one => typeof one !== 'string')).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });

  test('the assertion that came by artifact does not come in by POST afterwards', async () => {
    const provider = createArtifactProvider(resolverOf());
    await finish(provider);
    expect(await finish(provider, postResponse(buildResponse()), { ...pending })).toBe('SAML_REPLAYED');
  });

  test('an outage gives sign-in and artifact back, and touches nobody else’s', async () => {
    let down = true;
    const up = resolverOf();
    const provider = createArtifactProvider((url, init) =>
      down ? Promise.reject(new TypeError('fetch failed')) : up(url, init),
    );
    expect(await finish(provider)).toBe('SAML_ARTIFACT_RESOLUTION');
    down = false;
    expect(await finish(provider)).toMatchObject({ nameId: { value: 'alice' } });

    const store = new MemoryReplayStore({ now: () => now });
    let claims = 0;
    const released: string[] = [];
    const replayStore = {
      claim: (key: string, until: Date) => {
        claims += 1;
        if (claims === 2) throw new Error('the store is down');
        return store.claim(key, until);
      },
      release: (key: string) => void released.push(key),
    };
    expect(await finish(createArtifactProvider(resolverOf(), { replayStore }))).toBe('SAML_STORE_UNAVAILABLE');
    expect(released).toEqual([`artifact-for:${pending.requestId}`]);
  });
});

describe('the ArtifactResponse', () => {
  const attributes = (change: (xml: string) => string) => (id: string) =>
    change(`ID="_ar1" Version="2.0" IssueInstant="${at(-1)}" InResponseTo="${id}"`);
  const status = (code: string) =>
    `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${code}"/></samlp:Status>`;
  const evil = responseOf({
    sign: 'none',
    response: xml =>
      xml.replace('>alice<', '>admin<').replaceAll('"_response1"', '"_evil"').replaceAll('"_assertion1"', '"_evil2"'),
  });

  test.each<[string, ArtifactRecipe, string]>([
    [
      'to another question',
      { attributes: attributes(xml => xml.replace(/InResponseTo="[^"]*"/, 'InResponseTo="_x"')) },
      'SAML_IN_RESPONSE_TO',
    ],
    ['to no question', { attributes: attributes(xml => xml.replace(/ InResponseTo="[^"]*"/, '')) }, 'SAML_IN_RESPONSE_TO'],
    ['of another provider', { issuer: otherIdp().entityId }, 'SAML_ISSUER'],
    ['of SAML 1.1', { attributes: attributes(xml => xml.replace('2.0', '1.1')) }, 'SAML_VERSION'],
    ['of the future', { attributes: attributes(xml => xml.replace(at(-1), at(120))) }, 'SAML_ISSUE_INSTANT'],
    ['older than our question', { attributes: attributes(xml => xml.replace(at(-1), at(-120))) }, 'SAML_ISSUE_INSTANT'],
    ['that failed', { status: status('Responder') }, 'SAML_STATUS'],
    ['that knows nothing', { carried: '' }, 'SAML_ARTIFACT'],
    ['signed by an attacker', { sign: { key: 'attacker' } }, 'SAML_SIGNATURE_INVALID'],
    ['signed by the other provider', { sign: { key: 'other' } }, 'SAML_SIGNATURE_INVALID'],
    [
      'signed with SHA-1',
      { sign: { signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' } },
      'SAML_SIGNATURE_ALGORITHM',
    ],
    [
      'that carries a LogoutResponse',
      {
        carried: `<samlp:LogoutResponse ID="_l" Version="2.0" IssueInstant="${at(-1)}">${status('Success')}</samlp:LogoutResponse>`,
      },
      'SAML_STRUCTURE',
    ],
    [
      'that carries a bare assertion',
      { carried: /<saml:Assertion.*<\/saml:Assertion>/s.exec(responseOf({}))?.[0] ?? '' },
      'SAML_STRUCTURE',
    ],
    ['that carries two', { carried: `${responseOf({})}${evil}` }, 'SAML_SCHEMA_INVALID'],
    [
      'with a second Response in its Extensions',
      { extensions: `<samlp:Extensions><x xmlns="urn:x">${evil}</x></samlp:Extensions>` },
      'SAML_STRUCTURE',
    ],
    [
      'with a Response signed elsewhere in its Extensions, an evil one in its place',
      { sign: false, carried: evil, extensions: `<samlp:Extensions><x xmlns="urn:x">${responseOf({})}</x></samlp:Extensions>` },
      'SAML_STRUCTURE',
    ],
    [
      'in which a signature covers another element',
      {
        sign: false,
        signed: xml =>
          xml.replace('</saml:Issuer>', `</saml:Issuer>${/<ds:Signature.*?<\/ds:Signature>/s.exec(responseOf({}))?.[0]}`),
      },
      'SAML_SIGNATURE_PROFILE',
    ],
    [
      'with an ID twice',
      { attributes: attributes(xml => xml.replace('_ar1', '_response1')), sign: false },
      'SAML_SCHEMA_INVALID',
    ],
    [
      'whose Response answers another request',
      { carried: responseOf({ response: xml => xml.replace('InResponseTo="_request1"', 'InResponseTo="_request9"') }) },
      'SAML_IN_RESPONSE_TO',
    ],
    [
      'whose assertion answers another request',
      { carried: responseOf({ assertion: xml => xml.replace('InResponseTo="_request1"', 'InResponseTo="_request9"') }) },
      'SAML_IN_RESPONSE_TO',
    ],
    [
      'whose Response is for another address',
      { carried: responseOf({ response: xml => xml.replace(sp.acs, 'https://evil.example/acs') }) },
      'SAML_DESTINATION',
    ],
    [
      'whose assertion is for another audience',
      { carried: responseOf({ assertion: xml => xml.replace(`>${sp.entityId}<`, '>https://other.example<') }) },
      'SAML_AUDIENCE',
    ],
    ['whose Response says NoPassive', { carried: responseOf({ pieces: { status: status('Responder') } }) }, 'SAML_STATUS'],
    ['with a DOCTYPE', { envelope: xml => `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml}` }, 'SAML_XML_DOCTYPE'],
    ['with a comment in a name', { envelope: xml => xml.replace('>alice<', '>al<!-- x -->ice<') }, 'SAML_XML_DOCTYPE'],
    [
      'that is a fault',
      {
        envelope: () =>
          `<soap:Envelope xmlns:soap="${ns.soap}"><soap:Body><soap:Fault><faultcode>soap:Server</faultcode><faultstring>no</faultstring></soap:Fault></soap:Body></soap:Envelope>`,
      },
      'SAML_SOAP_FAULT',
    ],
    [
      'without an envelope',
      { envelope: xml => /<samlp:ArtifactResponse.*<\/samlp:ArtifactResponse>/s.exec(xml)?.[0] ?? '' },
      'SAML_STRUCTURE',
    ],
    [
      'beside a header that must be understood',
      {
        envelope: xml =>
          xml
            .replace('<soap:Body>', '<soap:Header><x xmlns="urn:x" soap:mustUnderstand="1"/></soap:Header><soap:Body>')
            .replace('<x xmlns', '<x xmlns'),
      },
      'SAML_STRUCTURE',
    ],
    ['that is HTML', { envelope: () => '<html>down for maintenance' }, 'SAML_XML_MALFORMED'],
  ])('%s is refused', async (_name, recipe, code) => {
    const outcome = await attempt(recipe);
    expect(outcome).toBe(code);
  });

  test('wrapped: the signed Response inside an evil one, both orders', async () => {
    const honest = responseOf({ sign: 'response' });
    for (const carried of [
      evil.replace('</samlp:Response>', `<samlp:Extensions>${honest}</samlp:Extensions></samlp:Response>`),
      evil.replace('<samlp:Status>', `<samlp:Extensions>${honest}</samlp:Extensions><samlp:Status>`),
      evil.replace('</saml:Issuer>', `</saml:Issuer>${/<ds:Signature.*?<\/ds:Signature>/s.exec(honest)?.[0]}`),
    ])
      expect(againstWrapping).toContain(await attempt({ sign: false, carried }));
  });
});

describe('asked for, and told', () => {
  const request = (provider: ReturnType<typeof createArtifactProvider>, responseBinding?: 'post' | 'artifact') =>
    provider.startSignIn(idp.entityId, { binding: 'post', ...(responseBinding === undefined ? {} : { responseBinding }) });
  const bindingOf = async (started: ReturnType<typeof request>) => {
    const { send } = await started;
    if (send.kind !== 'post') throw new Error('not a form');
    return /ProtocolBinding="([^"]*)"/.exec(Buffer.from(send.fields.SAMLRequest ?? '', 'base64').toString())?.[1];
  };

  test('the request names the binding of the answer', async () => {
    const provider = createArtifactProvider(resolverOf());
    expect(await bindingOf(request(provider, 'artifact'))).toBe(bindings.artifact);
    expect(await bindingOf(request(provider))).toBe(bindings.post);
  });

  test('what could not be fetched is not asked for', async () => {
    await expect(request(createServiceProvider({ identityProviders: [artifactIdp()] }), 'artifact')).rejects.toMatchObject({
      code: 'SAML_CONFIG_INVALID',
      message: 'request.responseBinding: options.artifactResolution is not set',
    });
    const without = createArtifactProvider(resolverOf(), { identityProviders: [knownIdp()] });
    await expect(request(without, 'artifact')).rejects.toMatchObject({ code: 'SAML_METADATA_ENDPOINT' });
    expect(() => createArtifactProvider(resolverOf(), { signingKeys: [] })).toThrow(
      'options.artifactResolution: needs a signing key',
    );
    expect(() => createArtifactProvider(resolverOf(), { artifactResolution: { timeoutSeconds: '5' as never } })).toThrow(
      'options.artifactResolution.timeoutSeconds',
    );
  });

  test('our metadata names the binding when artifacts are taken, and changes no other index', () => {
    const both = [sp.acs, `${sp.acs}/2`];
    const indexes = (xml: string) =>
      [...xml.matchAll(/AssertionConsumerService Binding="([^"]*)" Location="([^"]*)" index="(\d)"/g)].map(found =>
        found.slice(1, 4),
      );
    const off = createServiceProvider({ assertionConsumerServiceUrl: both }).metadata();
    const on = createArtifactProvider(resolverOf(), { assertionConsumerServiceUrl: both }).metadata();
    expect(off).not.toContain('HTTP-Artifact');
    expect(indexes(on)).toEqual([...indexes(off), [bindings.artifact, both[0], '4'], [bindings.artifact, both[1], '5']]);
    using document = parseUntrusted(Buffer.from(on));
    validateAgainstSchema(document, 'metadata');
  });
});
