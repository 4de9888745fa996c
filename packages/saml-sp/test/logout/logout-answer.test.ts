import { inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readRedirectedMessage, verifyRedirectSignature } from '../../src/bindings/redirect-binding.ts';
import { publicKeyOfCertificate } from '../../src/keys/key-material.ts';
import { verifyEnvelopedSignature } from '../../src/keys/signature.ts';
import { bindings } from '../../src/xml/names.ts';
import { validateAgainstSchema } from '../../src/xml/schema.ts';
import { parseUntrusted } from '../../src/xml/xml.ts';
import { testKey } from '../support/keys.ts';
import { buildLogout, plainLogoutRequest, postLogout, receive } from '../support/logout-fixture.ts';
import { redirected } from '../support/redirected.ts';
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
  test('LogoutRequest by Redirect: schema, signature over the query, NameID echoed byte for byte', async () => {
    const provider = createServiceProvider();
    const { send, pending } = await provider.startSignOut(idp.entityId, { nameId, sessionIndexes: ['_s1', '_s2'] });
    if (send.kind !== 'redirect') throw new Error('a redirect was expected');
    expect(() => verifyRedirectSignature(readRedirectedMessage(redirected(queryOf(send.url))), [spKey], false)).not.toThrow();
    using document = parseUntrusted(Buffer.from(xmlOf(send.url)));
    validateAgainstSchema(document, 'protocol');
    expect(xmlOf(send.url)).toContain(`ID="${pending.requestId}"`);
    expect(
      (document.root.get('saml:NameID', { saml: 'urn:oasis:names:tc:SAML:2.0:assertion' }) as { content: string }).content,
    ).toBe(nameId.value);
    expect(xmlOf(send.url)).toMatch(/NameQualifier="nq" SPNameQualifier="sq"/);
    expect(xmlOf(send.url).match(/SessionIndex>_s[12]/g)).toHaveLength(2);
  });

  test.each([
    [
      'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
      '<saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"',
    ],
    [undefined, '<saml:NameID NameQualifier'],
  ])('a Format %s goes back as it came', async (format, expected) => {
    const { send } = await createServiceProvider().startSignOut(idp.entityId, {
      nameId: { ...nameId, format },
      sessionIndexes: [],
    });
    expect(xmlOf(send.url)).toContain(expected);
  });

  test('LogoutRequest by POST carries an XML signature', async () => {
    const provider = createServiceProvider({ identityProviders: [withBinding(bindings.post)] });
    const { send } = await provider.startSignOut(idp.entityId, { nameId, sessionIndexes: [] });
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
      expect(() => verifyRedirectSignature(readRedirectedMessage(redirected(queryOf(send.url))), [spKey], false)).not.toThrow();
    },
  );

  test('refuses to start a logout without a signing key', async () => {
    const provider = createServiceProvider({ signingKeys: [] });
    await expect(provider.startSignOut(idp.entityId, { nameId, sessionIndexes: [] })).rejects.toThrow(/signing key/);
  });

  test('reports a provider without Single Logout', async () => {
    const provider = createServiceProvider({ identityProviders: [{ ...knownIdp(), singleLogout: [] }] });
    await expect(provider.startSignOut(idp.entityId, { nameId, sessionIndexes: [] })).rejects.toMatchObject({
      code: 'SAML_METADATA_ENDPOINT',
    });
  });
});
