import { test } from 'vitest';
import { expectRefused } from '../support/expect-refused.ts';

test.each([
  ['missing', (parameters: URLSearchParams) => parameters.delete('code'), 'OIDC_CALLBACK_CODE'],
  ['empty', (parameters: URLSearchParams) => parameters.set('code', ''), 'OIDC_CALLBACK_CODE'],
  ['too long', (parameters: URLSearchParams) => parameters.set('code', 'x'.repeat(4097)), 'OIDC_CALLBACK_CODE'],
  ['broken by a line end', (parameters: URLSearchParams) => parameters.set('code', 'a\r\nb'), 'OIDC_CALLBACK_CODE'],
  ['beside an error', (parameters: URLSearchParams) => parameters.set('error', 'access_denied'), 'OIDC_CALLBACK_MALFORMED'],
  ['beside an ID Token', (parameters: URLSearchParams) => parameters.set('id_token', 'a.b.c'), 'OIDC_CALLBACK_MALFORMED'],
  ['beside an access token', (parameters: URLSearchParams) => parameters.set('access_token', 'a'), 'OIDC_CALLBACK_MALFORMED'],
  [
    'in a query of 64 kB',
    (parameters: URLSearchParams) => parameters.set('filler', 'x'.repeat(66_000)),
    'OIDC_CALLBACK_MALFORMED',
  ],
  ['unknown to the provider', (parameters: URLSearchParams) => parameters.set('code', 'invented'), 'OIDC_TOKEN_ERROR'],
] as const)('refuses a code that is %s', async (_fault, callback, code) => {
  await expectRefused(code, { callback });
});
