import { describe, expect, test } from 'vitest';
import { publicKeyOfCertificate } from '../../src/keys/key-material.ts';
import { verifyEnvelopedSignature } from '../../src/keys/signature.ts';
import { readSoapBody } from '../../src/messages/soap.ts';
import { ns } from '../../src/xml/names.ts';
import { validateAgainstSchema } from '../../src/xml/schema.ts';
import { parseUntrusted } from '../../src/xml/xml.ts';
import { testKey } from '../support/keys.ts';
import { buildLogout, type LogoutRecipe, plainLogoutRequest } from '../support/logout-fixture.ts';
import { codeOf } from '../support/refusal.ts';
import { createServiceProvider, idp, knownIdp, sp } from '../support/world.ts';

const envelope = (body: string, header = '') =>
  `<soap:Envelope xmlns:soap="${ns.soap}">${header}<soap:Body>${body}</soap:Body></soap:Envelope>`;
const receive = async (body: string, provider = createServiceProvider()) => {
  try {
    return await provider.receiveSoapLogout({ method: 'POST', url: '/saml/slo', contentType: 'text/xml', body });
  } catch (error) {
    return codeOf(error);
  }
};
const wrapped = (recipe: LogoutRecipe = {}, header = '') => envelope(buildLogout(plainLogoutRequest, recipe), header);

describe('LogoutRequest by SOAP (saml-bindings-2.0 3.2)', () => {
  test('reads a valid one and answers with a signed LogoutResponse', async () => {
    const received = await receive(wrapped());
    if (typeof received === 'string') throw new Error(received);
    expect(received).toMatchObject({ nameId: { value: 'alice' }, sessionIndexes: ['_session1'] });
    const xml = readSoapBody(Buffer.from(received.answer('complete')), { namespace: ns.samlp, name: 'LogoutResponse' });
    using document = parseUntrusted(xml);
    validateAgainstSchema(document, 'protocol');
    using verified = verifyEnvelopedSignature(document.root, {
      keys: [publicKeyOfCertificate(testKey('sp').certificate)],
      allowSha1: false,
    });
    expect(verified?.signedXml).toContain('InResponseTo="_lr1"');
  });

  test("names the provider's address in the answer if it has one, and nothing otherwise (saml-core-2.0 3.2.2)", async () => {
    const answerOf = async (bindings: readonly string[]) => {
      const singleLogout = knownIdp().singleLogout.filter(({ binding }) => bindings.some(name => binding.endsWith(name)));
      const provider = createServiceProvider({ identityProviders: [{ ...knownIdp(), singleLogout }] });
      const received = await receive(wrapped(), provider);
      return typeof received === 'string' ? received : received.answer('complete');
    };
    expect(await answerOf(['SOAP', 'HTTP-Redirect'])).toContain(` Destination="${idp.slo}"`);
    for (const bindings of [['HTTP-Redirect'], []]) expect(await answerOf(bindings)).not.toContain('Destination');
  });

  describe('Destination (optional in saml-core-2.0 3.2.1; only Redirect and POST require it)', () => {
    const withDestination = (attribute: string) => wrapped({ change: xml => xml.replace(/ Destination="[^"]*"/, attribute) });

    test('may be absent', async () => {
      expect(await receive(withDestination(''))).toMatchObject({ nameId: { value: 'alice' } });
    });

    test.each(['https://other.example/saml/slo', `${sp.slo}/`, ''])('must be ours if present: refuses "%s"', async address => {
      expect(await receive(withDestination(` Destination="${address}"`))).toBe('SAML_DESTINATION');
    });
  });

  test('reads a namespace that only the envelope declares', async () => {
    const body = buildLogout(plainLogoutRequest).replace(`xmlns:saml="${ns.saml}"`, '');
    const outer = envelope(body).replace('<soap:Envelope ', `<soap:Envelope xmlns:saml="${ns.saml}" `);
    expect(await receive(outer)).toMatchObject({ nameId: { value: 'alice' } });
  });

  test.each([
    ['unsigned', wrapped({ sign: false }), 'SAML_SIGNATURE_MISSING'],
    ['by the attacker', wrapped({ sign: { key: 'attacker' } }), 'SAML_SIGNATURE_INVALID'],
    [
      'two in one body',
      envelope(buildLogout(plainLogoutRequest) + buildLogout(plainLogoutRequest).replaceAll('_lr1', '_lr2')),
      'SAML_STRUCTURE',
    ],
    ['another message', envelope('<x xmlns="urn:x"/>'), 'SAML_STRUCTURE'],
    ['nothing', envelope(''), 'SAML_STRUCTURE'],
    [
      'the original in a header, an evil one in the body',
      envelope(
        buildLogout(plainLogoutRequest, { sign: false }).replaceAll('alice', 'admin').replace('_lr1', '_lr2'),
        `<soap:Header>${buildLogout(plainLogoutRequest)}</soap:Header>`,
      ),
      'SAML_SIGNATURE_MISSING',
    ],
    ['a DOCTYPE', `<!DOCTYPE a>${wrapped()}`, 'SAML_XML_DOCTYPE'],
    ['no envelope', buildLogout(plainLogoutRequest), 'SAML_STRUCTURE'],
  ])('%s', async (_name, body, code) => {
    expect(await receive(body)).toBe(code);
  });

  describe('headers (SOAP 1.1 4.2)', () => {
    const withHeader = (attributes: string) => wrapped({}, `<soap:Header><x:a xmlns:x="urn:x" ${attributes}/></soap:Header>`);

    test.each([
      'soap:mustUnderstand="1"',
      'soap:mustUnderstand="1" soap:actor=""',
      'soap:mustUnderstand="1" soap:actor="http://schemas.xmlsoap.org/soap/actor/next"',
      'soap:mustUnderstand="1" soap:actor="urn:other"',
    ])('refuses an unknown one that must be understood: %s', async attributes => {
      expect(await receive(withHeader(attributes))).toBe('SAML_STRUCTURE');
    });

    // Only the attribute of SOAP's own namespace says that it must.
    test.each(['', 'soap:mustUnderstand="0"', 'mustUnderstand="1"', 'x:mustUnderstand="1"'])(
      'ignores an unknown one that need not be understood: "%s"',
      async attributes => {
        expect(await receive(withHeader(attributes))).toMatchObject({ nameId: { value: 'alice' } });
      },
    );
  });

  test('refuses the same request twice: SAML_REPLAYED', async () => {
    const provider = createServiceProvider();
    await receive(wrapped(), provider);
    expect(await receive(wrapped(), provider)).toBe('SAML_REPLAYED');
  });
});
