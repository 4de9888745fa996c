import { describe, expect, test } from 'vitest';
import { publicKeyOfCertificate } from '../../src/keys/key-material.ts';
import { verifyEnvelopedSignature } from '../../src/keys/signature.ts';
import { readSoapBody } from '../../src/messages/soap.ts';
import { MemoryReplayStore } from '../../src/sp/replay.ts';
import { bindings, ns } from '../../src/xml/names.ts';
import { validateAgainstSchema } from '../../src/xml/schema.ts';
import { parseUntrusted } from '../../src/xml/xml.ts';
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

  test('asks once, signed, at the address of its index, and sends no name', async () => {
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

  test('one that says more in its Extensions', async () => {
    const extensions = '<samlp:Extensions><x xmlns="urn:x">y</x></samlp:Extensions>';
    expect(await attempt({ extensions })).toMatchObject({ nameId: { value: 'alice' } });
  });

  test.each([61, 62])('tolerates clocks that differ by 60 seconds: %i', async seconds => {
    const attributes = (id: string) => `ID="_ar1" Version="2.0" IssueInstant="${at(-seconds)}" InResponseTo="${id}"`;
    const outcome = await attempt({ attributes });
    if (seconds === 61) expect(outcome).toMatchObject({ nameId: { value: 'alice' } });
    else expect(outcome).toBe('SAML_ISSUE_INSTANT');
  });

  test('a signed ArtifactResponse is a signed Response, but not a signed assertion', async () => {
    const recipe = { carried: responseOf({ sign: 'none' }) };
    expect(await attempt(recipe, { wantResponseSigned: true })).toMatchObject({ nameId: { value: 'alice' } });
    expect(await attempt(recipe, { wantAssertionsSigned: true })).toBe('SAML_SIGNATURE_MISSING');
    const assertionOnly = { sign: false, carried: responseOf({ sign: 'assertion' }) } as const;
    expect(await attempt(assertionOnly, { wantResponseSigned: true })).toBe('SAML_SIGNATURE_MISSING');
  });

  test('reads identity from what the ArtifactResponse signed', async () => {
    const changed = (xml: string) => xml.replace('>alice<', '>admin<');
    expect(await attempt({ carried: responseOf({ sign: 'none' }), signed: changed })).toBe('SAML_SIGNATURE_INVALID');
    expect(await attempt({ carried: responseOf({ sign: 'none' }), sign: false, signed: changed })).toBe('SAML_SIGNATURE_MISSING');
  });

  test('trusts TLS alone only if the policy says so and it was TLS', async () => {
    const recipe = { sign: false, carried: responseOf({ sign: 'none' }) } as const;
    expect(await attempt(recipe)).toBe('SAML_SIGNATURE_MISSING');
    expect(await attempt(recipe, { dangerouslyTrustArtifactTls: true })).toMatchObject({ nameId: { value: 'alice' } });
    const loopback = artifactIdp({ dangerouslyTrustArtifactTls: true }, 'http://127.0.0.1:9/artifact');
    const provider = createArtifactProvider(resolverOf(recipe), { identityProviders: [loopback] });
    expect(await finish(provider)).toBe('SAML_SIGNATURE_MISSING');
  });
});

describe('one use', () => {
  test('does not ask again for the same artifact, or for another one of the same sign-in', async () => {
    const asked: Question[] = [];
    const provider = createArtifactProvider(resolverOf({}, asked));
    expect(await finish(provider)).toMatchObject({ nameId: { value: 'alice' } });
    expect(await finish(provider)).toBe('SAML_REPLAYED');
    expect(await finish(provider, withArtifact(artifactOf({ handle: 'i'.repeat(20) })))).toBe('SAML_REPLAYED');
    expect(asked).toHaveLength(1);
  });

  test('does not ask again for an artifact stolen into another sign-in', async () => {
    const asked: Question[] = [];
    const provider = createArtifactProvider(resolverOf({}, asked));
    await finish(provider);
    const thief = { ...pending, requestId: '_request2', relayState: 'relay-of-the-thief' };
    expect(await finish(provider, withArtifact(artifactOf(), thief.relayState), thief)).toBe('SAML_REPLAYED');
    expect(asked).toHaveLength(1);
  });

  test("keeps two visitors' artifacts apart", async () => {
    const asked: Question[] = [];
    const carried = (request: string, ids: string) =>
      responseOf({
        sign: 'none',
        response: xml =>
          xml
            .replaceAll('_request1', request)
            .replace('_response1', `_response${ids}`)
            .replace('_assertion1', `_assertion${ids}`),
      });
    let turn = 0;
    const answers = [resolverOf({}, asked), resolverOf({ carried: carried('_request2', '2') }, asked)];
    const provider = createArtifactProvider((url, init) => {
      turn += 1;
      return (answers[turn - 1] as typeof globalThis.fetch)(url, init);
    });
    expect(await finish(provider)).toMatchObject({ inResponseTo: '_request1' });
    const second = { ...pending, requestId: '_request2', relayState: 'relay-2' };
    const artifact = artifactOf({ handle: 'j'.repeat(20) });
    expect(await finish(provider, withArtifact(artifact, 'relay-2'), second)).toMatchObject({ inResponseTo: '_request2' });
    expect(asked).toHaveLength(2);
  });

  test('does not give an artifact back after a refusal', async () => {
    const asked: Question[] = [];
    const provider = createArtifactProvider(resolverOf({ issuer: otherIdp().entityId }, asked));
    expect(await finish(provider)).toBe('SAML_ISSUER');
    expect(await finish(provider)).toBe('SAML_REPLAYED');
    expect(asked).toHaveLength(1);
  });

  test('asks for one of fifty at once', async () => {
    const asked: Question[] = [];
    const provider = createArtifactProvider(resolverOf({}, asked));
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => finish(provider)));
    expect(outcomes.filter(one => typeof one !== 'string')).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });

  test('refuses by POST an assertion that came by artifact', async () => {
    const provider = createArtifactProvider(resolverOf());
    await finish(provider);
    expect(await finish(provider, postResponse(buildResponse()), { ...pending })).toBe('SAML_REPLAYED');
  });

  test('gives sign-in and artifact back after an outage, and touches no other', async () => {
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

  test('names the binding in our metadata if artifacts are on, without changing another index', () => {
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
