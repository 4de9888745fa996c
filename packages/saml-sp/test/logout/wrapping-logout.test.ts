import { describe, expect, test } from 'vitest';
import { buildLogout, plainLogoutRequest, plainLogoutResponse, postLogout, receive } from '../support/logout-fixture.ts';
import { againstWrapping } from '../support/rule.ts';
import { rootWrappings } from '../support/wrapping.ts';

const buildAssertionText =
  '<saml:Assertion ID="_x" Version="2.0" IssueInstant="2026-11-20T11:59:55Z"><saml:Issuer>a</saml:Issuer></saml:Assertion>';

for (const [kind, plain] of [
  ['LogoutRequest', plainLogoutRequest],
  ['LogoutResponse', plainLogoutResponse],
] as const) {
  describe(`a ${kind} cannot be wrapped (signature wrapping)`, () => {
    for (const [name, wrap] of Object.entries(rootWrappings)) {
      test(name, async () => {
        const xml = wrap(buildLogout(plain));
        expect(againstWrapping).toContain(await receive(postLogout(xml)));
      });
    }

    test('an assertion inside it', async () => {
      const xml = buildLogout(plain, {
        wire: text =>
          text.replace('</ds:Signature>', () => `</ds:Signature><samlp:Extensions>${buildAssertionText}</samlp:Extensions>`),
      });
      expect(await receive(postLogout(xml))).toBe('SAML_STRUCTURE');
    });
  });
}
