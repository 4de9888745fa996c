import { describe, expect, test } from 'vitest';
import { ns } from '../../src/xml/names.ts';
import {
  type ArtifactRecipe,
  artifactIdp,
  artifactOf,
  createArtifactProvider,
  finish,
  type Question,
  resolverOf,
  withArtifact,
} from '../support/artifact-fixture.ts';
import { buildResponse, type ResponseRecipe } from '../support/response.ts';
import { againstWrapping } from '../support/rule.ts';
import { at, createServiceProvider, idp, knownIdp, now, otherIdp, pending, postResponse, sp } from '../support/world.ts';

const responseOf = (recipe: ResponseRecipe): string => String(buildResponse(recipe));
const attempt = async (recipe: ArtifactRecipe, policy: Parameters<typeof artifactIdp>[0] = {}) =>
  await finish(createArtifactProvider(resolverOf(recipe), { identityProviders: [artifactIdp(policy), otherIdp()] }));

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
    ['with SigAlg alone', `${withArtifact()}&SigAlg=a`, 'SAML_PARAMETER'],
    ['with Signature alone', `${withArtifact()}&Signature=a`, 'SAML_PARAMETER'],
    ['with SAMLEncoding', `${withArtifact()}&SAMLEncoding=a`, 'SAML_PARAMETER'],
    ['without RelayState', `/saml/acs?SAMLart=${encodeURIComponent(artifactOf())}`, 'SAML_RELAY_STATE'],
    ['with another RelayState', withArtifact(artifactOf(), 'relay-of-another'), 'SAML_RELAY_STATE'],
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
  ])('is refused before we ask the provider: %s', async (_name, request, code) => {
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
  ])('is refused before we ask the provider, with %s', async (_name, kept, code) => {
    const asked: Question[] = [];
    const identityProviders = [artifactIdp({ dangerouslyAllowUnsolicited: true }), otherIdp()];
    const provider = createArtifactProvider(resolverOf({}, asked), { identityProviders });
    const error = await provider.finishSignIn(withArtifact(), kept).catch(error => error);
    expect(error.code).toBe(code);
    expect(asked).toEqual([]);
  });

  test('refuses artifacts if they are off or the provider has no resolution service', async () => {
    const off = createServiceProvider({ identityProviders: [artifactIdp()] });
    expect(await finish(off)).toBe('SAML_ARTIFACT');
    expect(await finish(createArtifactProvider(resolverOf(), { identityProviders: [knownIdp()] }))).toBe('SAML_ARTIFACT');
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

  const ofAnother = (sign: NonNullable<ResponseRecipe['sign']>, by: ResponseRecipe['signResponse'] = {}) =>
    responseOf({
      sign,
      signAssertion: by,
      signResponse: by,
      assertion: xml => xml.replaceAll(`>${idp.entityId}<`, `>${otherIdp().entityId}<`),
      response: xml => xml.replace(`>${idp.entityId}<`, `>${otherIdp().entityId}<`),
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
    // CVE-2026-49283: one provider's answer must not vouch for what another one is said to have written.
    ['whose Response, unsigned, is of another provider', { carried: ofAnother('none') }, 'SAML_ISSUER'],
    ['whose Response is of another provider and signed by this one', { carried: ofAnother('both') }, 'SAML_ISSUER'],
    [
      'whose Response is of another provider and signed by that one',
      { carried: ofAnother('both', { key: 'other' }) },
      'SAML_SIGNATURE_INVALID',
    ],
    [
      'whose assertion is of another provider',
      {
        carried: responseOf({
          assertion: xml => xml.replaceAll(`>${idp.entityId}<`, `>${otherIdp().entityId}<`),
          signAssertion: { key: 'other' },
        }),
      },
      'SAML_SIGNATURE_INVALID',
    ],
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
          xml.replace('<soap:Body>', '<soap:Header><x xmlns="urn:x" soap:mustUnderstand="1"/></soap:Header><soap:Body>'),
      },
      'SAML_STRUCTURE',
    ],
    ['that is HTML', { envelope: () => '<html>down for maintenance' }, 'SAML_XML_MALFORMED'],
  ])('is refused: %s', async (_name, recipe, code) => {
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

describe('what a refusal says', () => {
  const messageOf = (recipe: ArtifactRecipe, request: Parameters<typeof finish>[1] = withArtifact()) =>
    createArtifactProvider(resolverOf(recipe))
      .finishSignIn(request, pending)
      .then(
        () => 'accepted',
        error => error.message,
      );

  test.each<[string, ArtifactRecipe, string | undefined]>([
    ['the identity provider no longer knows this artifact', { carried: '' }, undefined],
    ['the ArtifactResponse must contain exactly one Response', { carried: '<x xmlns="urn:x"/>' }, undefined],
    [
      'the ArtifactResponse answers another request',
      { attributes: () => `ID="_ar1" Version="2.0" IssueInstant="${at(-1)}"` },
      undefined,
    ],
    [
      'the ArtifactResponse is older than our request',
      { attributes: id => `ID="_ar1" Version="2.0" IssueInstant="${at(-999)}" InResponseTo="${id}"` },
      undefined,
    ],
    ['SAMLart came with SAMLEncoding', {}, `${withArtifact()}&SAMLEncoding=a`],
    ['the artifact is not 44 bytes in base64', {}, withArtifact('x')],
    ['the artifact is of type 1, not 4', {}, withArtifact(artifactOf({ type: 1 }))],
    ['the artifact was made by another identity provider', {}, withArtifact(artifactOf({ entityId: 'urn:x' }))],
    [`${idp.entityId} publishes no artifact resolution service 7`, {}, withArtifact(artifactOf({ index: 7 }))],
  ])('%s', async (message, recipe, request) => {
    expect(await messageOf(recipe, request)).toBe(message);
  });
});
