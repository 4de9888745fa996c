import { expect, test } from 'vitest';
import { bridgeCookies, cookieNames, nameOfSetCookie, readCookies, withoutCookies, writeCookie } from './cookies.ts';

test.each([
  ['a=1; Path=/', 'a'],
  ['  a  = 1', 'a'],
  ['a', 'a'],
  ['=gate=1; Path=/', 'gate'],
  [' = gate =1', 'gate'],
  ['a; gate=1', 'a'],
  ['', ''],
  ['==', ''],
])('the cookie of %j comes back as %j', (value, name) => {
  expect(nameOfSetCookie(value)).toBe(name);
});

test('ours are taken out wherever they stand, the others stay as they are', () => {
  const isOurs = (name: string) => name === 'gate';
  for (const [header, rest] of [
    ['gate=1', ''],
    ['gate', ''],
    ['a=1; gate=2; b=3', 'a=1; b=3'],
    ['a=1;gate=2;  gate = 3;b="x', 'a=1; b="x'],
    ['gated=1; Gate=2', 'gated=1; Gate=2'],
  ] as const)
    expect(withoutCookies(header, isOurs)).toBe(rest);
  expect(readCookies('gate=1; a=gate=2;gate = 3 ; gate', 'gate')).toEqual(['1', '3']);
  expect(withoutCookies('a=1;', isOurs)).toBe('a=1; ');
  expect(readCookies(undefined, 'gate')).toEqual([]);
});

test('on https no other host, path or plain connection can set our cookies', () => {
  expect(cookieNames(true)).toEqual({
    session: '__Host-gate',
    browser: '__Host-gate-browser',
    provider: '__Host-gate-provider',
    leaving: '__Host-gate-leaving',
    ways: '__Host-gate-ways',
    entered: '__Host-gate-entered',
  });
  expect(Object.values(bridgeCookies(true))).toEqual([
    '__Host-gate-bridge',
    '__Secure-gate-bridge-interaction',
    '__Secure-gate-bridge-resume',
  ]);
  for (const name of [...Object.values(cookieNames(false)), ...Object.values(bridgeCookies(false))])
    expect(name).toMatch(/^gate/);
});

test.each([
  [{ isHttps: true }, 'gate=v; Path=/; HttpOnly; Secure; SameSite=Lax'],
  [{ isHttps: true, crossSite: true }, 'gate=v; Path=/; HttpOnly; Secure; SameSite=None'],
  // Without Secure, browsers take no SameSite=None.
  [{ isHttps: false, crossSite: true }, 'gate=v; Path=/; HttpOnly; SameSite=Lax'],
  [{ isHttps: false, maxAge: 0 }, 'gate=v; Path=/; HttpOnly; SameSite=Lax; Max-Age=0'],
])('%j writes %s', (options, cookie) => expect(writeCookie('gate', 'v', options)).toBe(cookie));
