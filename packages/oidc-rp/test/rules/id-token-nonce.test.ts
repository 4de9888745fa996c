import { expect, test } from 'vitest';
import { expectClaimsRefused, expectRefused } from '../support/expect-refused.ts';

test.each([[undefined], ['another'], [''], [7]])('refuses the nonce %j', async nonce => {
  await expectClaimsRefused('OIDC_CLAIM_NONCE', { nonce });
});

test('refuses a list that contains the right nonce', async () => {
  await expectRefused('OIDC_CLAIM_NONCE', { idTokenClaims: claims => ({ ...claims, nonce: [claims.nonce] }) });
});

test('requires the nonce whatever the provider says', async () => {
  await expectClaimsRefused('OIDC_CLAIM_NONCE', { nonce: undefined, nonce_supported: false });
});

test('shows neither the sent nor the received nonce in the error', async () => {
  const error = await expectClaimsRefused('OIDC_CLAIM_NONCE', { nonce: 'the-stolen-one' });
  expect(error.message).not.toContain('the-stolen-one');
  expect([error.expected, error.received]).toEqual([undefined, undefined]);
});
