import { test } from 'vitest';
import { expectHeaderRefused } from '../support/expect-refused.ts';

const demands: Record<string, Record<string, unknown>> = {
  'an unknown extension': { crit: ['exp'], exp: 1 },
  'an absent extension': { crit: ['nothing'] },
  'an empty list': { crit: [] },
  'no list': { crit: 'exp' },
  nothing: { crit: null },
  'an unencoded payload': { crit: ['b64'], b64: false },
  'an unencoded payload without saying that it matters': { b64: false },
  'an encoded payload': { b64: true },
};

test.each(Object.entries(demands))('a header that demands %s is refused', async (_fault, change) => {
  await expectHeaderRefused('OIDC_JWT_CRITICAL', change);
});
