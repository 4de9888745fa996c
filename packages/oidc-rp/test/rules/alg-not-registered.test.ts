import { test } from 'vitest';
import { expectRefused } from '../support/expect-refused.ts';
import { forge, keptKey } from '../support/forge.ts';

// Each is truly signed by a key that the provider publishes: only the registration is missing.
test.each(['PS256', 'RS512', 'ES256', 'EdDSA'])('refuses a valid %s token if only RS256 is registered', async alg => {
  const key = await keptKey('second', alg);
  await expectRefused(
    'OIDC_JWT_ALGORITHM',
    { idToken: ({ claims }) => forge({ alg, kid: key.kid }, claims, key) },
    {},
    { jwks: set => ({ keys: [...set.keys, { ...key.publicJwk }] }) },
  );
});
