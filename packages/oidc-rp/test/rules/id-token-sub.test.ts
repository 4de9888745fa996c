import { test } from 'vitest';
import { expectClaimsRefused } from '../support/expect-refused.ts';

const subjects = {
  missing: undefined,
  empty: '',
  'a number': 7,
  'longer than 255': 'a'.repeat(256),
  'not ASCII': 'jürgen',
  null: null,
};

test.each(Object.entries(subjects))('refuses a subject that is %s', async (_fault, sub) => {
  await expectClaimsRefused('OIDC_CLAIM_SUB', { sub });
});
