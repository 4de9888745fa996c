import { sign } from 'node:crypto';
import { deflateRawSync, deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { findFasterGrowthLater } from '../../../../tools/growth.ts';
import { testKey } from '../support/keys.ts';
import { plainLogoutRequest, receive, redirectLogout, redirectQuery } from '../support/logout-fixture.ts';
import { createServiceProvider, knownIdp, otherIdp } from '../support/world.ts';

const good = redirectQuery(plainLogoutRequest, { relayState: 'a b' });
const query = (text: string) => receive(redirectLogout(text));
const packed = (bytes: Buffer): string => `SAMLRequest=${encodeURIComponent(bytes.toString('base64'))}`;
const signed = (text: string): string => {
  const full = `${text}&SigAlg=${encodeURIComponent('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')}`;
  return `${full}&Signature=${encodeURIComponent(sign('sha256', Buffer.from(full), testKey('idp').privateKey).toString('base64'))}`;
};
const lower = (text: string): string => encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, found => found.toLowerCase());
const accepted = expect.objectContaining({ kind: 'request' });

describe('the signature of a query is over its octets as received (saml-bindings-2.0 3.4.4.1; query confusion)', () => {
  test.each([
    ['upper-case escapes', good],
    ['lower-case escapes, as ADFS writes them', redirectQuery(plainLogoutRequest, { relayState: 'x=/y', encode: lower })],
    [
      '+ for a blank',
      redirectQuery(plainLogoutRequest, { relayState: 'a b', encode: text => encodeURIComponent(text).replaceAll('%20', '+') }),
    ],
    ['no RelayState', redirectQuery(plainLogoutRequest)],
    ['an empty RelayState that was signed', redirectQuery(plainLogoutRequest, { relayState: '' })],
    ['parameters in another order', good.split('&').reverse().join('&')],
    ['a parameter of another party', `utm_source=x&${good}`],
    [
      'SAMLEncoding DEFLATE said',
      `${good}&SAMLEncoding=${encodeURIComponent('urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE')}`,
    ],
  ])('accepts %s', async (_name, text) => {
    expect(await query(text)).toEqual(accepted);
  });

  test.each([
    ['re-encoded escapes', good.replace(/%[0-9A-F]{2}/g, found => found.toLowerCase()), 'SAML_SIGNATURE_INVALID'],
    ['%20 signed, + received', good.replace('%20', '+'), 'SAML_SIGNATURE_INVALID'],
    ['RelayState of another message', good.replace('RelayState=a%20b', 'RelayState=c'), 'SAML_SIGNATURE_INVALID'],
    ['RelayState dropped', good.replace('&RelayState=a%20b', ''), 'SAML_SIGNATURE_INVALID'],
    ['RelayState added', `${redirectQuery(plainLogoutRequest)}&RelayState=x`, 'SAML_SIGNATURE_INVALID'],
    [
      'empty RelayState dropped',
      redirectQuery(plainLogoutRequest, { relayState: '' }).replace('&RelayState=', ''),
      'SAML_SIGNATURE_INVALID',
    ],
    ['SAMLRequest twice', `${good}&${packed(deflateRawSync(Buffer.from(plainLogoutRequest)))}`, 'SAML_PARAMETER'],
    ['RelayState twice', `${good}&RelayState=c`, 'SAML_PARAMETER'],
    ['SAMLRequest[]', `${good}&SAMLRequest[]=x`, 'SAML_PARAMETER'],
    ['%53AMLRequest', `${good}&%53AMLRequest=x`, 'SAML_PARAMETER'],
    ['a leading space', `${good}&%20SAMLRequest=x`, 'SAML_PARAMETER'],
    ['a leading +', `${good}&+SAMLRequest=x`, 'SAML_PARAMETER'],
    ['a NUL behind the name', `${good}&SAMLRequest%00=x`, 'SAML_PARAMETER'],
    ['small letters', `${good}&samlrequest=x`, 'SAML_PARAMETER'],
    ['a semicolon as separator', good.replace('&RelayState', ';SAMLRequest=x;RelayState'), 'SAML_PARAMETER'],
    ['a NUL in RelayState, signed', redirectQuery(plainLogoutRequest, { relayState: 'a\0b' }), 'SAML_PARAMETER'],
    ['request and response', `${good}&SAMLResponse=x`, 'SAML_PARAMETER'],
    ['SigAlg without Signature', good.replace(/&Signature=.*/, ''), 'SAML_PARAMETER'],
    ['Signature without SigAlg', good.replace(/&SigAlg=[^&]*/, ''), 'SAML_PARAMETER'],
    ['signature stripped', good.replace(/&SigAlg=.*/, ''), 'SAML_SIGNATURE_MISSING'],
    [
      'SigAlg sha1',
      redirectQuery(plainLogoutRequest, { sigAlg: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
      'SAML_SIGNATURE_ALGORITHM',
    ],
    ['SigAlg hmac', good.replace('rsa-sha256', 'hmac-sha256'), 'SAML_SIGNATURE_ALGORITHM'],
    ['SigAlg unknown', good.replace('rsa-sha256', 'rot13'), 'SAML_SIGNATURE_ALGORITHM'],
    ['SigAlg empty', good.replace(/SigAlg=[^&]*/, 'SigAlg='), 'SAML_SIGNATURE_ALGORITHM'],
    ['Signature empty', good.replace(/Signature=.*/, 'Signature='), 'SAML_ENCODING'],
    ['Signature not base64', good.replace(/Signature=.*/, 'Signature=***='), 'SAML_ENCODING'],
    ['SAMLEncoding of another kind', `${good}&SAMLEncoding=urn:x`, 'SAML_ENCODING'],
    ['not packed', signed(packed(Buffer.from(plainLogoutRequest))), 'SAML_ENCODING'],
    ['packed with a zlib header', signed(packed(deflateSync(Buffer.from(plainLogoutRequest)))), 'SAML_ENCODING'],
    [
      'something behind the packed message',
      signed(packed(Buffer.concat([deflateRawSync(Buffer.from(plainLogoutRequest)), Buffer.from('extra')]))),
      'SAML_ENCODING',
    ],
    ['a bomb of 100 MB', signed(packed(deflateRawSync(Buffer.alloc(12_000_000, 32)))), 'SAML_MESSAGE_TOO_LARGE'],
    ['a query longer than 16 kB', `${good}&x=${'y'.repeat(17_000)}`, 'SAML_MESSAGE_TOO_LARGE'],
    ['a broken escape', `${good}&x=%zz`, 'SAML_PARAMETER'],
    ['nothing', '', 'SAML_PARAMETER'],
  ])('refuses: %s', async (_name, text, code) => {
    expect(await query(text)).toBe(code);
  });

  // In its place and not beside it: there, that it is a second one would be enough.
  test.each(['%52elayState', 'RelayState[]', '%20RelayState', '+RelayState', 'RelayState%00', 'relaystate'])(
    'refuses %s in place of RelayState, whatever it is signed as',
    async name => {
      expect(await query(good.replace('RelayState=', `${name}=`))).toBe('SAML_PARAMETER');
    },
  );

  test.each([["it's"]])(
    'a web Request with RelayState %s: the spelling that the URL parser changed still verifies',
    async relayState => {
      const text = redirectQuery(plainLogoutRequest, { relayState });
      const request = new Request(`https://sp.example.org/saml/slo?${text}`);
      expect(request.url).toContain('%27');
      expect(await receive(request)).toMatchObject({ kind: 'request' });
    },
  );

  test('an address that no URL parser was over has one spelling', async () => {
    const text = redirectQuery(plainLogoutRequest, { relayState: "it's" });
    expect(text).toContain("it's");
    expect(await query(text)).toEqual(accepted);
    expect(await query(text.replace("it's", 'it%27s'))).toBe('SAML_SIGNATURE_INVALID');
  });

  test('refuses a web Request with another RelayState than was signed', async () => {
    const text = redirectQuery(plainLogoutRequest, { relayState: "it's" });
    expect(await receive(new Request(`https://sp.example.org/saml/slo?${text.replace("it's", "it''s")}`))).toBe(
      'SAML_SIGNATURE_INVALID',
    );
  });

  test('SHA-1 behind its flag', async () => {
    const provider = createServiceProvider({ identityProviders: [knownIdp({ dangerouslyAllowSha1: true }), otherIdp()] });
    const text = redirectQuery(plainLogoutRequest, { sigAlg: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' });
    expect(await receive(redirectLogout(text), { provider })).toEqual(accepted);
  });

  test('spends no more on a larger bomb', async () => {
    const sizes = [3_000_000, 12_000_000, 48_000_000];
    const grown = await findFasterGrowthLater(async bytes => {
      const text = signed(packed(deflateRawSync(Buffer.alloc(bytes, 32))));
      return async () => expect(await query(text)).toBe('SAML_MESSAGE_TOO_LARGE');
    }, sizes);
    expect(grown).toBeUndefined();
  });
});
