import { test } from 'vitest';
import { expectRefused } from '../support/expect-refused.ts';
import { forge, keptKey } from '../support/forge.ts';

test.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)(
  'refuses a %s token by a foreign key, on the code flow too',
  async alg => {
    const stranger = await keptKey('stranger', alg);
    await expectRefused(
      'OIDC_JWT_SIGNATURE',
      { idToken: ({ header, claims }) => forge(header, claims, stranger) },
      { alg, options: { idTokenAlgorithms: [alg] } },
    );
  },
);

test('refuses a token whose claims were changed after signing', async () => {
  await expectRefused('OIDC_JWT_SIGNATURE', {
    idToken: async ({ header, claims, key }) => {
      const [head, , signature] = (await forge(header, claims, key)).split('.');
      return `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: 'admin' })).toString('base64url')}.${signature}`;
    },
  });
});

test('a token that has expired and is by a foreign key is told from one that only expired (CVE-2024-51744)', async () => {
  const stranger = await keptKey('stranger');
  const expired = (claims: Record<string, unknown>) => ({
    ...claims,
    exp: Number(claims.iat) - 600,
    iat: Number(claims.iat) - 900,
  });
  await expectRefused('OIDC_JWT_SIGNATURE', { idToken: ({ header, claims }) => forge(header, expired(claims), stranger) });
  await expectRefused('OIDC_TOKEN_EXPIRED', { idTokenClaims: expired });
});

test('a good token does not lend its verdict to another with the same signature', async () => {
  const key = await keptKey('first');
  let good = '';
  await expectRefused(
    'OIDC_JWT_SIGNATURE',
    {
      idToken: async ({ header, claims }) =>
        `${(await forge(header, claims, key)).split('.').slice(0, 2).join('.')}.${good.split('.')[2]}`,
    },
    {},
    { idToken: async ({ header, claims }) => (good = await forge(header, claims, key)) },
  );
});
