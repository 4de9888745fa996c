import { test } from 'vitest';
import { expectClaimsRefused } from '../support/expect-refused.ts';

const audiences = {
  missing: undefined,
  null: null,
  'another client': 'other',
  'a longer name that begins like ours': 'notes2',
  'a shorter name that ours begins with': 'note',
  'an object': { notes: true },
  'a list without us': ['other'],
  'a list that holds more than text': ['notes', 7],
  empty: [],
};

test.each(Object.entries(audiences))('an audience that is %s is refused', async (_fault, aud) => {
  await expectClaimsRefused('OIDC_CLAIM_AUD', { aud });
});
