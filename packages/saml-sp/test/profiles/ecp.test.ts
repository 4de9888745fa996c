import { describe, expect, test } from 'vitest';
import { acceptsEcp, checkConsumerUrl, ecpRelayState, paosContentType } from '../../src/sign-in/ecp.ts';
import { ns } from '../../src/xml/names.ts';
import { validateAgainstSchema } from '../../src/xml/schema.ts';
import { parseUntrusted } from '../../src/xml/xml.ts';
import { codeOf } from '../support/refusal.ts';
import { buildResponse, type ResponseRecipe } from '../support/response.ts';
import { createServiceProvider, idp, knownIdp, pending, sp } from '../support/world.ts';

const paos = 'ver="urn:liberty:paos:2003-08"; "urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp"';
const actor = 'http://schemas.xmlsoap.org/soap/actor/next';
const headers =
  `<paos:Response xmlns:paos="${ns.paos}" soap:mustUnderstand="1" soap:actor="${actor}" refToMessageID="${pending.requestId}"/>` +
  `<ecp:RelayState xmlns:ecp="${ns.ecp}" soap:mustUnderstand="1" soap:actor="${actor}">${pending.relayState}</ecp:RelayState>`;
const envelope = (body: string, header = headers) =>
  `<soap:Envelope xmlns:soap="${ns.soap}"><soap:Header>${header}</soap:Header><soap:Body>${body}</soap:Body></soap:Envelope>`;
const finish = async (body: string, contentType = paosContentType) => {
  try {
    return (await createServiceProvider().finishEcp({ method: 'POST', url: '/acs', contentType, body }, pending)).nameId?.value;
  } catch (error) {
    return codeOf(error);
  }
};
const response = (recipe: ResponseRecipe = {}) => buildResponse(recipe) as string;

describe('the client says that it speaks ECP, in both headers (saml-ecp-2.0 2.3.1)', () => {
  test.each([
    ['both', paosContentType, paos, true],
    ['among others', `text/html, ${paosContentType};q=0.9`, paos, true],
    ['refused by its weight', `text/html, ${paosContentType};q=0`, paos, false],
    ['no Accept', undefined, paos, false],
    ['no PAOS', paosContentType, undefined, false],
    ['a browser', 'text/html', undefined, false],
    ['another version', paosContentType, paos.replace('2003-08', '2006-08'), false],
    ['another service', paosContentType, paos.replace('SSO:ecp', 'SSO:browser'), false],
  ])('%s', (_name, accept, header, expected) => {
    expect(acceptsEcp({ accept, paos: header })).toBe(expected);
  });
});

describe('the request to an enhanced client (saml-profiles-2.0 4.2.4.1)', async () => {
  const { envelope: sent, pending: begun } = await createServiceProvider().startEcp(idp.entityId);

  test("is valid under the standard's schemas", () => {
    using document = parseUntrusted(Buffer.from(sent));
    expect(() => validateAgainstSchema(document, 'soap')).not.toThrow();
  });

  test('names our address once for client and provider alike, and must be understood', () => {
    expect(sent).toContain(`responseConsumerURL="${sp.acs}"`);
    expect(sent).toContain(`AssertionConsumerServiceURL="${sp.acs}"`);
    expect(sent.match(/soap:mustUnderstand="1" soap:actor="http:\/\/schemas.xmlsoap.org\/soap\/actor\/next"/g)).toHaveLength(3);
    expect(sent).toContain(`messageID="${begun.requestId}"`);
    expect(sent).toContain('ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:PAOS"');
    expect(sent).toContain('<ds:SignatureValue>');
  });
});

test('sends no unsigned request to a provider that wants signed ones, with or without ECP', async () => {
  const provider = createServiceProvider({
    signingKeys: [],
    identityProviders: [{ ...knownIdp(), wantAuthnRequestsSigned: true }],
  });
  for (const start of [provider.startSignIn(idp.entityId), provider.startEcp(idp.entityId)])
    expect(await start.catch(codeOf)).toBe('SAML_CONFIG_INVALID');
});

test.each([true, false])('isPassive: %s is in both the header and the request', async isPassive => {
  const { envelope: told } = await createServiceProvider().startEcp(idp.entityId, { isPassive });
  expect(told).toContain(
    `<ecp:Request xmlns:ecp="${ns.ecp}" soap:mustUnderstand="1" soap:actor="${actor}" IsPassive="${isPassive}">`,
  );
  expect(told.includes('IsPassive="true" ProtocolBinding')).toBe(isPassive);
});

describe('what an enhanced client brings back', () => {
  test('names the pending sign-in before anything is verified', async () => {
    const http = { method: 'POST', url: '/acs', contentType: paosContentType, body: envelope(response()) };
    expect(await ecpRelayState(http)).toBe(pending.relayState);
    expect(await ecpRelayState({ ...http, body: envelope(response(), '') })).toBeUndefined();
    await expect(ecpRelayState({ ...http, contentType: 'text/xml' })).rejects.toMatchObject({ code: 'SAML_HTTP_METHOD' });
  });

  test('is accepted without the echo of our message ID', async () => {
    const alone = headers.slice(headers.indexOf('<ecp:'));
    expect(await finish(envelope(response(), alone))).toBe('alice');
    expect(await finish(envelope(response(), headers.replace(/ refToMessageID="[^"]*"/, '')))).toBe('alice');
  });

  test('is refused if no sign-in was started, even from a provider that may send unsolicited ones', async () => {
    const unasked = (xml: string) => xml.replaceAll(' InResponseTo="_request1"', '');
    const provider = createServiceProvider({ identityProviders: [knownIdp({ dangerouslyAllowUnsolicited: true })] });
    const body = envelope(response({ assertion: unasked, response: unasked }), '');
    const http = { method: 'POST', url: '/acs', contentType: paosContentType, body };
    await expect(provider.finishEcp(http, undefined)).rejects.toMatchObject({ code: 'SAML_PAOS' });
  });

  test('is accepted if the Response is valid', async () => expect(await finish(envelope(response()))).toBe('alice'));

  test('may use namespaces that only the envelope declares', async () => {
    const body = response({ sign: 'assertion' }).replace(` xmlns:samlp="${ns.samlp}"`, '');
    expect(await finish(envelope(body).replace('<soap:Envelope ', `<soap:Envelope xmlns:samlp="${ns.samlp}" `))).toBe('alice');
  });

  test.each([
    ['unsigned', envelope(response({ sign: 'none' })), 'SAML_SIGNATURE_MISSING'],
    ['by the attacker', envelope(response({ signAssertion: { key: 'attacker' } })), 'SAML_SIGNATURE_INVALID'],
    [
      'for another address',
      envelope(response({ assertion: xml => xml.replace(/Recipient="[^"]*"/, 'Recipient="https://evil.example"') })),
      'SAML_RECIPIENT',
    ],
    ['an encrypted one by anybody', envelope(response({ sign: 'none', encrypt: {} })), 'SAML_SIGNATURE_MISSING'],
    [
      'the signed one in a header, an evil one in the body',
      envelope(
        response({ sign: 'none' }).replaceAll('alice', 'admin').replaceAll('_response1', '_r2').replaceAll('_assertion1', '_a2'),
        headers + response(),
      ),
      'SAML_SIGNATURE_MISSING',
    ],
    [
      'two Responses',
      envelope(response() + response().replaceAll('_response1', '_r2').replaceAll('_assertion1', '_a2')),
      'SAML_STRUCTURE',
    ],
    ['RelayState of another', envelope(response(), headers.replace(pending.relayState, 'x')), 'SAML_RELAY_STATE'],
    ['RelayState missing', envelope(response(), headers.replace(/<ecp:RelayState.*<\/ecp:RelayState>/, '')), 'SAML_RELAY_STATE'],
    ['RelayState twice', envelope(response(), headers + headers.slice(headers.indexOf('<ecp:'))), 'SAML_PAOS'],
    ['an answer to another message', envelope(response(), headers.replace('_request1', '_request2')), 'SAML_PAOS'],
    [
      'a SOAP fault',
      envelope('<soap:Fault><faultcode>soap:Server</faultcode><faultstring>no &lt;b&gt;</faultstring></soap:Fault>'),
      'SAML_SOAP_FAULT',
    ],
    ['a DOCTYPE', `<!DOCTYPE a>${envelope(response())}`, 'SAML_XML_DOCTYPE'],
    ['no envelope', response(), 'SAML_STRUCTURE'],
  ])('refuses: %s', async (_name, body, code) => expect(await finish(body)).toBe(code));

  describe('headers (SOAP 1.1 4.2)', () => {
    const withHeader = (attributes: string) =>
      envelope(response(), `${headers}<x:Limit xmlns:x="urn:x" ${attributes}>only on Mondays</x:Limit>`);

    test.each(['', ' soap:actor=""', ` soap:actor="${actor}"`, ' soap:actor="urn:other"'])(
      'refuses an unknown one that must be understood: "%s"',
      async attributes => {
        const body = withHeader(`soap:mustUnderstand="1"${attributes}`);
        expect(await finish(body)).toBe('SAML_STRUCTURE');
        const posted = { method: 'POST', url: '/acs', contentType: paosContentType, body };
        await expect(ecpRelayState(posted)).rejects.toMatchObject({ code: 'SAML_STRUCTURE' });
      },
    );

    test.each(['', 'soap:mustUnderstand="0"'])('ignores an unknown one that need not be understood: "%s"', async attributes =>
      expect(await finish(withHeader(attributes))).toBe('alice'),
    );

    test('accepts the header that the provider wrote for the client, if the client left it in', async () => {
      const left = `<ecp:Response xmlns:ecp="${ns.ecp}" soap:mustUnderstand="1" soap:actor="${actor}" AssertionConsumerServiceURL="${sp.acs}"/>`;
      expect(await finish(envelope(response(), left + headers))).toBe('alice');
    });
  });

  test('is refused as text/xml', async () => {
    expect(await finish(envelope(response()), 'text/xml')).toBe('SAML_HTTP_METHOD');
  });

  test('checkConsumerUrl makes a SOAP fault if the two addresses differ', () => {
    expect(checkConsumerUrl(sp.acs, sp.acs)).toBeUndefined();
    expect(checkConsumerUrl(sp.acs, 'https://evil.example/acs')).toContain('<soap:Fault>');
  });
});
