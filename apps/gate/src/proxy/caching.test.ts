import { expect, test } from 'vitest';
import { canonicalName } from '../model/header-names.ts';
import type { Caching } from './caching.ts';
import { answerHeaders } from './headers.ts';

const isReserved = (name: string) => canonicalName(name).startsWith('x-auth-');

/** What is passed on of an answer with these headers. */
function passed(caching: Caching, headers: readonly (readonly [string, string])[]): Record<string, string | undefined> {
  const out = answerHeaders(headers.flat(), { isReserved, isOurCookie: name => name === 'gate', caching });
  return Object.fromEntries(out.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), out[at + 1]]] : [])));
}

test.each([
  [[], 'private'],
  [['public, max-age=60'], 'private, max-age=60'],
  [['PUBLIC', 'S-MaxAge=60, max-age=5'], 'private, max-age=5'],
  [['no-store'], 'private, no-store'],
  [['private'], 'private'],
  // A list in quotes keeps only those headers out of shared caches.
  [['private="set-cookie, x", no-cache="y, public"'], 'private, no-cache="y, public"'],
  [['max-age=60, immutable, proxy-revalidate'], 'private, max-age=60, immutable'],
  [['max-age="60, public'], 'private'],
  [['immutable , , Max-Age = 5'], 'private, immutable, Max-Age = 5'],
])('%j at an address that needs a person becomes %j', (values, control) => {
  const headers = passed('private', [...values.map(value => ['Cache-Control', value] as const), ['ETag', '"1"']]);
  expect(headers).toEqual({ etag: '"1"', 'cache-control': control });
});

test.each(['CDN-Cache-Control', 'Cloudflare-CDN-Cache-Control', 'Surrogate-Control', 'Edge-Control', 'X-Accel-Expires'])(
  '%s is for shared caches alone: they get nothing that was made for one person',
  name => {
    expect(passed('private', [[name, 'max-age=60']])).toEqual({ 'cache-control': 'private' });
    expect(passed('as-said', [[name, 'max-age=60']])).toEqual({ [name.toLowerCase()]: 'max-age=60' });
  },
);

test('Connection does not take the word out again', () => {
  expect(passed('private', [['Connection', 'Cache-Control, close']])).toEqual({ 'cache-control': 'private' });
});

test('where anyone may come, what is said to be public stays so, unless it hangs on who came', () => {
  const said = { 'cache-control': 'public, max-age=60', vary: 'Accept' };
  expect(passed('if-public', Object.entries(said))).toEqual(said);
  expect(passed('if-public', Object.entries({ ...said, vary: 'Accept, X_Auth_Subject' }))).toEqual({
    'cache-control': 'private, max-age=60',
    vary: 'Accept, X_Auth_Subject',
  });
  expect(passed('if-public', [['Cache-Control', 'max-age=60']])).toEqual({ 'cache-control': 'private, max-age=60' });
  expect(passed('if-public', [])).toEqual({ 'cache-control': 'private' });
  expect(passed('as-said', [['Cache-Control', 'max-age=60']])).toEqual({ 'cache-control': 'max-age=60' });
});

test('no cookie of ours comes from the application', () => {
  const cookies = ['gate=evil; Path=/', '=gate=evil', 'theirs=1', 'gated=2'];
  const out = answerHeaders(
    cookies.flatMap(cookie => ['set-cookie', cookie]),
    { isReserved, isOurCookie: name => name === 'gate', caching: 'as-said' },
  );
  expect(out.filter((_, at) => at % 2 === 1)).toEqual(['theirs=1', 'gated=2']);
});
