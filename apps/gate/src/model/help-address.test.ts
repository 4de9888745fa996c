import { expect, test } from 'vitest';
import { fillHelpAddress } from './help-address.ts';

const facts = {
  reason: 'AUTHORIZATION_FAILURE',
  entityId: 'https://notes.example.org/a&b',
  at: new Date(1_700_000_000_900),
} as const;

test.each([
  ['https://idp.example.edu/help', 'https://idp.example.edu/help'],
  [
    'https://idp.example.edu/help?code=ERRORURL_CODE&ts=ERRORURL_TS&rp=ERRORURL_RP&tid=ERRORURL_TID&ctx=ERRORURL_CTX',
    'https://idp.example.edu/help?code=AUTHORIZATION_FAILURE&ts=1700000000&rp=https%3A%2F%2Fnotes.example.org%2Fa%26b&tid=&ctx=',
  ],
  ['https://idp.example.edu/ERRORURL_CODE/ERRORURL_OTHER', 'https://idp.example.edu/AUTHORIZATION_FAILURE/ERRORURL_OTHER'],
])('%s', (errorUrl, filled) => expect(fillHelpAddress(errorUrl, facts)).toBe(filled));
