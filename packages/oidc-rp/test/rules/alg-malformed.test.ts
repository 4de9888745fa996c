import { test } from 'vitest';
import { expectHeaderRefused } from '../support/expect-refused.ts';

const algorithms = {
  missing: undefined,
  'a list': ['RS256'],
  'a number': 256,
  'an object': { RS256: true },
  unknown: 'XX256',
  lower: 'rs256',
  inherited: 'constructor',
  null: null,
};

test.each(Object.entries(algorithms))('refuses an algorithm that is %s', async (_fault, alg) => {
  await expectHeaderRefused('OIDC_JWT_ALGORITHM', { alg });
});
