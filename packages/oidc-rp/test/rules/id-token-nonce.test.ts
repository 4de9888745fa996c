import { expect, test } from 'vitest';
import { expectClaimsRefused, expectRefused } from '../support/expect-refused.ts';

test.each([[undefined], ['another'], [''], [7]])('the nonce %j is refused', async nonce => {
  await expectClaimsRefused('OIDC_CLAIM_NONCE', { nonce });
});

test('a list that holds the right nonce is refused', async () => {
  await expectRefused('OIDC_CLAIM_NONCE', { idTokenClaims: claims => ({ ...claims, nonce: [claims.nonce] }) });
});

test('a provider cannot talk its way out of the nonce', async () => {
  await expectClaimsRefused('OIDC_CLAIM_NONCE', { nonce: undefined, nonce_supported: false });
});

test('the error tells neither the nonce that was sent nor the one that came', async () => {
  const error = await expectClaimsRefused('OIDC_CLAIM_NONCE', { nonce: 'the-stolen-one' });
  expect(error.message).not.toContain('the-stolen-one');
  expect([error.expected, error.received]).toEqual([undefined, undefined]);
});
