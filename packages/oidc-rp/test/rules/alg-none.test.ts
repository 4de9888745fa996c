import { expect, test } from 'vitest';
import { expectRefused } from '../support/expect-refused.ts';
import { signingInput } from '../support/forge.ts';

const spellings = ['none', 'None', 'NONE', 'nOnE', 'nonE', ' none', 'none '];

test.each(spellings)('refuses an unsigned token with alg "%s"', async alg => {
  await expectRefused('OIDC_JWT_ALGORITHM', { idToken: ({ header, claims }) => `${signingInput({ ...header, alg }, claims)}.` });
});

test('refuses an unsigned token that claims the registered algorithm', async () => {
  await expectRefused('OIDC_JWT_SIGNATURE', { idToken: ({ header, claims }) => `${signingInput(header, claims)}.` });
});

test('"none" cannot be configured', async () => {
  const { FakeOp } = await import('../support/fake-op.ts');
  const op = await FakeOp.start();
  expect(() => op.relyingParty({ idTokenAlgorithms: ['none' as 'RS256'] })).toThrow(
    expect.objectContaining({ code: 'OIDC_CONFIG_INVALID' }),
  );
});
