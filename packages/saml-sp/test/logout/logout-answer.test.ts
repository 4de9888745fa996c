import { inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { publicKeyOfCertificate } from '../../src/key-material.ts';
import { bindings } from '../../src/names.ts';
import { readRedirectedMessage, verifyRedirectSignature } from '../../src/redirect-binding.ts';
import { validateAgainstSchema } from '../../src/schema.ts';
import { verifyEnvelopedSignature } from '../../src/signature.ts';
import { parseUntrusted } from '../../src/xml.ts';
import { testKey } from '../support/keys.ts';
import { buildLogout, plainLogoutRequest, postLogout, receive } from '../support/logout-fixture.ts';
import { createServiceProvider, idp, knownIdp, otherIdp } from '../support/world.ts';

const spKey = publicKeyOfCertificate(testKey('sp').certificate);
const nameId = { value: 'a<&">\t', format: 'urn:f', nameQualifier: 'nq', spNameQualifier: 'sq', spProvidedId: undefined };
const withBinding = (binding: string) => ({
  ...knownIdp(),
  singleLogout: [{ binding, location: idp.slo, responseLocation: `${idp.slo}/answer` }],
});
const queryOf = (url: string): string => url.slice(url.indexOf('?') + 1);
const xmlOf = (url: string): string =>
  inflateRawSync(
    Buffer.from(new URL(url).searchParams.get('SAMLRequest') ?? new URL(url).searchParams.get('SAMLResponse') ?? '', 'base64'),
  ).toString();

describe('what we send in a logout is signed and exact', () => {
  test('LogoutRequest by Redirect: schema, signature over the query, NameID echoed byte for byte', () => {
    const provider = createServiceProvider();
    const { send, pending } = provider.startLogout(idp.entityId, { nameId, sessionIndexes: ['_s1', '_s2'] });
    if (send.kind !== 'redirect') throw new Error('a redirect was expected');
    expect(() =>
      verifyRedirectSignature(readRedirectedMessage({ method: 'GET', query: queryOf(send.url) }), [spKey], false),
    ).not.toThrow();
    using document = parseUntrusted(Buffer.from(xmlOf(send.url)));
    validateAgainstSchema(document, 'protocol');
    expect(xmlOf(send.url)).toContain(`ID="${pending.requestId}"`);
    expect(
      (document.root.get('saml:NameID', { saml: 'urn:oasis:names:tc:SAML:2.0:assertion' }) as { content: string }).content,
    ).toBe(nameId.value);
    expect(xmlOf(send.url)).toMatch(/NameQualifier="nq" SPNameQualifier="sq"/);
    expect(xmlOf(send.url).match(/SessionIndex>_s[12]/g)).toHaveLength(2);
  });

  test('LogoutRequest by POST carries an XML signature', () => {
    const provider = createServiceProvider({ identityProviders: [withBinding(bindings.post)] });
    const { send } = provider.startLogout(idp.entityId, { nameId, sessionIndexes: [] });
    if (send.kind !== 'post') throw new Error('a form was expected');
    using document = parseUntrusted(Buffer.from(send.fields.SAMLRequest ?? '', 'base64'));
    validateAgainstSchema(document, 'protocol');
    using verified = verifyEnvelopedSignature(document.root, { keys: [spKey], allowSha1: false });
    expect(verified?.root.name).toBe('LogoutRequest');
  });

  test.each([
    ['complete', 'status:Success"/>'],
    ['partial', 'status:PartialLogout"/>'],
    ['failed', 'status:Responder"/>'],
  ] as const)(
    'the LogoutResponse says %s, names the request, carries RelayState back and is signed',
    async (outcome, expected) => {
      const received = await receive(postLogout(buildLogout(plainLogoutRequest), 'state & more'), {
        provider: createServiceProvider({ identityProviders: [withBinding(bindings.redirect), otherIdp()] }),
      });
      if (typeof received === 'string' || received.kind !== 'request') throw new Error('a request was expected');
      const send = received.answer(outcome);
      if (send.kind !== 'redirect') throw new Error('a redirect was expected');
      expect(send.url.startsWith(`${idp.slo}/answer?SAMLResponse=`)).toBe(true);
      expect(new URL(send.url).searchParams.get('RelayState')).toBe('state & more');
      expect(xmlOf(send.url)).toContain('InResponseTo="_lr1"');
      expect(xmlOf(send.url)).toContain(expected);
      expect(() =>
        verifyRedirectSignature(readRedirectedMessage({ method: 'GET', query: queryOf(send.url) }), [spKey], false),
      ).not.toThrow();
    },
  );

  test('without a signing key there is no logout', () => {
    const provider = createServiceProvider({ signingKeys: [] });
    expect(() => provider.startLogout(idp.entityId, { nameId, sessionIndexes: [] })).toThrow(/signing key/);
  });

  test('a provider without Single Logout says so', () => {
    const provider = createServiceProvider({ identityProviders: [{ ...knownIdp(), singleLogout: [] }] });
    expect(() => provider.startLogout(idp.entityId, { nameId, sessionIndexes: [] })).toThrow(
      expect.objectContaining({ code: 'SAML_METADATA_ENDPOINT' }),
    );
  });
});
