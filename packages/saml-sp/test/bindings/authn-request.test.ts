import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRedirectedMessage, verifyRedirectSignature } from '../../src/bindings/redirect-binding.ts';
import { SamlError } from '../../src/errors.ts';
import { publicKeyOfCertificate } from '../../src/keys/key-material.ts';
import { verifyEnvelopedSignature } from '../../src/keys/signature.ts';
import { bindings } from '../../src/xml/names.ts';
import { validateAgainstSchema } from '../../src/xml/schema.ts';
import { escapeXml, parseUntrusted } from '../../src/xml/xml.ts';
import { testKey } from '../support/keys.ts';
import { redirected } from '../support/redirected.ts';
import { refusal } from '../support/refusal.ts';
import { createServiceProvider, idp, knownIdp, otherIdp, sp } from '../support/world.ts';

const keys = [publicKeyOfCertificate(testKey('sp').certificate)];
const redirectOf = (send: { kind: string; url: string }): string => send.url;
const xmlOf = (url: string): string =>
  inflateRawSync(Buffer.from(new URL(url).searchParams.get('SAMLRequest') ?? '', 'base64')).toString();

describe('AuthnRequest (saml-core-2.0 3.4.1; SDP-SP02 to SP06, IIP-SP03, SP06)', () => {
  test('by Redirect: valid, signed over the exact query, ACS by address', async () => {
    const { send, pending } = await createServiceProvider().startSignIn(idp.entityId, { returnTo: '/secret' });
    const query = redirectOf(send).slice(redirectOf(send).indexOf('?') + 1);
    expect(redirectOf(send).startsWith(`${idp.sso}?SAMLRequest=`)).toBe(true);
    expect(() => verifyRedirectSignature(readRedirectedMessage(redirected(query)), keys, false)).not.toThrow();
    const xml = xmlOf(redirectOf(send));
    using document = parseUntrusted(Buffer.from(xml));
    validateAgainstSchema(document, 'protocol');
    expect(xml).toContain(`AssertionConsumerServiceURL="${sp.acs}"`);
    expect(xml).toContain(`ID="${pending.requestId}"`);
    expect(xml).toContain(`Destination="${idp.sso}"`);
    expect(xml).not.toMatch(/Index=|NameIDPolicy|ForceAuthn|IsPassive|secret/);
    expect(new URL(redirectOf(send)).searchParams.get('RelayState')).toBe(pending.relayState);
    expect(pending.relayState).not.toContain('secret');
  });

  test('writes every option, and the result is valid', async () => {
    const options = {
      forceAuthn: true,
      isPassive: true,
      nameIdPolicy: { format: 'urn:f&', allowCreate: true },
      authnContexts: ['urn:a', 'urn:b'],
    };
    const { send, pending } = await createServiceProvider().startSignIn(idp.entityId, options);
    const xml = xmlOf(redirectOf(send));
    using document = parseUntrusted(Buffer.from(xml));
    validateAgainstSchema(document, 'protocol');
    expect(xml).toContain('ForceAuthn="true" IsPassive="true"');
    expect(xml).toContain('<samlp:NameIDPolicy Format="urn:f&#38;" AllowCreate="true"/>');
    expect(xml).toContain('Comparison="exact"><saml:AuthnContextClassRef>urn:a<');
    expect(pending).toMatchObject({ forceAuthn: true, authnContexts: ['urn:a', 'urn:b'] });
  });

  test('a provider that passes the sign-in on is told to whom, how often and for whom; its page is told our name', async () => {
    const extensions = '<x:hint xmlns:x="urn:example:hint">a &amp; b</x:hint>';
    const { send, pending } = await createServiceProvider().startSignIn(idp.entityId, {
      authnContexts: ['urn:a'],
      authnContextComparison: 'minimum',
      attributeConsumingServiceIndex: 2,
      providerName: 'Notes & more',
      scoping: { proxyCount: 0, identityProviders: ['https://a.example', 'https://b.example'], requesterIds: ['urn:r'] },
      extensions,
    });
    const xml = xmlOf(redirectOf(send));
    using document = parseUntrusted(Buffer.from(xml));
    validateAgainstSchema(document, 'protocol');
    expect(xml).toContain(' AttributeConsumingServiceIndex="2" ProviderName="Notes &#38; more">');
    expect(xml).toContain(`</saml:Issuer><samlp:Extensions>${extensions}</samlp:Extensions>`);
    expect(xml).toContain('<samlp:RequestedAuthnContext Comparison="minimum">');
    expect(xml).toContain(
      '<samlp:Scoping ProxyCount="0"><samlp:IDPList><samlp:IDPEntry ProviderID="https://a.example"/>' +
        '<samlp:IDPEntry ProviderID="https://b.example"/></samlp:IDPList><samlp:RequesterID>urn:r</samlp:RequesterID></samlp:Scoping>',
    );
    expect(pending.authnContextComparison).toBe('minimum');
  });

  test.each([
    ['no XML', '<x'],
    ['text', 'hint'],
    ['an element of SAML', '<saml:Issuer>https://evil.example</saml:Issuer>'],
    ['what would end the Extensions', '</samlp:Extensions><samlp:NameIDPolicy/><samlp:Extensions>'],
    ['an entity', '<x:h xmlns:x="urn:x">&evil;</x:h>'],
  ])('refuses Extensions that are %s', async (_name, extensions) => {
    await expect(createServiceProvider().startSignIn(idp.entityId, { extensions })).rejects.toMatchObject({
      code: 'SAML_CONFIG_INVALID',
      message: expect.stringContaining('extensions'),
    });
  });

  test('NameIDPolicy without Format', async () => {
    const { send } = await createServiceProvider().startSignIn(idp.entityId, { nameIdPolicy: {} });
    expect(xmlOf(redirectOf(send))).toContain('<samlp:NameIDPolicy/>');
  });

  test('by POST: enveloped signature after the Issuer', async () => {
    const { send } = await createServiceProvider().startSignIn(idp.entityId, { binding: 'post' });
    if (send.kind !== 'post') throw new Error('a form was expected');
    using document = parseUntrusted(Buffer.from(send.fields.SAMLRequest ?? '', 'base64'));
    validateAgainstSchema(document, 'protocol');
    using verified = verifyEnvelopedSignature(document.root, { keys, allowSha1: false });
    expect(verified?.root.name).toBe('AuthnRequest');
  });

  test('signed with an elliptic curve key, by Redirect and by POST', async () => {
    const pair = { privateKey: testKey('idp-ec').privateKey, certificate: testKey('idp-ec').certificate };
    const ec = [publicKeyOfCertificate(pair.certificate)];
    const provider = createServiceProvider({ signingKeys: [pair] });
    const redirect = (await provider.startSignIn(idp.entityId)).send;
    const query = redirectOf(redirect).slice(redirectOf(redirect).indexOf('?') + 1);
    expect(() => verifyRedirectSignature(readRedirectedMessage(redirected(query)), ec, false)).not.toThrow();
    const post = (await provider.startSignIn(idp.entityId, { binding: 'post' })).send;
    if (post.kind !== 'post') throw new Error('a form was expected');
    using document = parseUntrusted(Buffer.from(post.fields.SAMLRequest ?? '', 'base64'));
    using verified = verifyEnvelopedSignature(document.root, { keys: ec, allowSha1: false });
    expect(verified).toBeDefined();
  });

  test('ids and RelayStates never repeat, and are NCNames', async () => {
    const provider = createServiceProvider();
    const started = await Promise.all(
      Array.from({ length: 200 }, async () => (await provider.startSignIn(idp.entityId)).pending),
    );
    expect(new Set(started.map(one => one.requestId)).size).toBe(200);
    expect(new Set(started.map(one => one.relayState)).size).toBe(200);
    expect(started.every(one => /^_[0-9a-f]{40}$/.test(one.requestId))).toBe(true);
  });

  test('an address with a query of its own keeps it', async () => {
    const provider = createServiceProvider({
      identityProviders: [
        {
          ...knownIdp(),
          singleSignOn: [{ binding: bindings.redirect, location: `${idp.sso}?tenant=1`, responseLocation: idp.sso }],
        },
      ],
    });
    expect(redirectOf((await provider.startSignIn(idp.entityId)).send).startsWith(`${idp.sso}?tenant=1&SAMLRequest=`)).toBe(true);
  });

  test.each([
    ['an unknown provider', createServiceProvider(), 'https://nobody.example', 'SAML_UNKNOWN_IDP'],
    [
      'one that is switched off',
      createServiceProvider({ identityProviders: [knownIdp({ enabled: false }), otherIdp()] }),
      idp.entityId,
      'SAML_UNKNOWN_IDP',
    ],
    [
      'one without an address',
      createServiceProvider({ identityProviders: [{ ...knownIdp(), singleSignOn: [] }] }),
      idp.entityId,
      'SAML_METADATA_ENDPOINT',
    ],
    [
      'one that wants signatures from a provider without keys',
      createServiceProvider({ signingKeys: [], identityProviders: [{ ...knownIdp(), wantAuthnRequestsSigned: true }] }),
      idp.entityId,
      'SAML_CONFIG_INVALID',
    ],
  ])('refuses %s', async (_name, provider, entityId, code) => {
    await expect(provider.startSignIn(entityId)).rejects.toEqual(refusal(code));
  });

  test('preserves every string that XML can carry (escaping)', () => {
    fc.assert(
      // Mostly what has to be escaped: among all characters it is too rare to come up.
      fc.property(
        fc.string({ unit: fc.oneof(fc.constantFrom(...'<>&"\'\t\r\n\0 '), fc.string({ unit: 'binary', maxLength: 1 })) }),
        text => {
          let written: string;
          try {
            written = escapeXml(text);
          } catch (error) {
            expect(error).toBeInstanceOf(SamlError);
            // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters XML cannot carry.
            expect(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text) || !text.isWellFormed()).toBe(true);
            return;
          }
          using document = parseUntrusted(Buffer.from(`<a b="${written}">${written}</a>`));
          expect(document.root.content).toBe(text);
          expect(document.root.attrs[0]?.value).toBe(text);
        },
      ),
      { numRuns: 500 },
    );
  });
});
