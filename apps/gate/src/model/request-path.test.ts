import { describe, expect, test } from 'vitest';
import { readRequestPath } from './request-path.ts';

const pathOf = (target: string) => {
  const verdict = readRequestPath(target);
  return verdict.kind === 'path' ? verdict.value.path : verdict.kind;
};

describe('a request target', () => {
  test.each([
    ['/', '/'],
    ['/a/b?x=/../%2e%2e//;', '/a/b'],
    ['/%61dmin', '/admin'],
    ['/caf%C3%A9', '/café'],
    ['/cafe%CC%81', '/café'],
    ['/a%20b', '/a b'],
    [`/q${'%CC%96'.repeat(30)}`, `/q${'\u0316'.repeat(30)}`],
    ['/a/', '/a/'],
    ['/...', '/...'],
    ['/.well-known/x', '/.well-known/x'],
    ['/100%25', '/100%'],
    ['/100%25a', '/100%a'],
    [`/${'%61'.repeat(5461)}`, `/${'a'.repeat(5461)}`],
    [`/${'a'.repeat(16_383)}`, `/${'a'.repeat(16_383)}`],
  ])('%s is read as %s', (target, path) => {
    expect(pathOf(target)).toBe(path);
    expect(readRequestPath(target)).toMatchObject({ value: { target } });
  });

  const hostile = [
    '//admin',
    '/a//b',
    '/admin/..;/x',
    '/admin;x',
    '/admin;jsessionid=1',
    '/admin%3Bx',
    '/admin%3b/x',
    '/./admin',
    '/../admin',
    '/a/../admin',
    '/a/..',
    '/.',
    `/q${'%CC%96'.repeat(31)}`,
    `/q${'%CC%81%CC%96'.repeat(1_000)}`,
    '/%2e%2e/admin',
    '/%2E%2e/admin',
    '/.%2e/admin',
    '/%2e/admin',
    '/a/%2e%2E',
    '/a%2fb',
    '/a%2Fb',
    '/%2F/admin',
    '/a%5cb',
    '/a%5Cb',
    '/a\\b',
    '/..\\admin',
    '/%255c',
    '/%252e%252e/admin',
    '/%252f',
    '/%25%32%65',
    '/a%00',
    '/a%0d%0ab',
    '/a%0A',
    '/a%7f',
    '/a%23/admin',
    '/a%3Fx',
    '/public#/admin',
    '/a#',
    '/#/../admin',
    '/a b',
    '/a\tb',
    '/é',
    '/%',
    '/%2',
    '/%zz',
    '/%ff',
    '/%c0%ae%c0%ae/admin',
    '/%e0%80%af',
    '/%ed%a0%80',
    '/%ef%bc%8f',
    '/%e2%88%95',
    '/%ef%bc%8e%ef%bc%8e/admin',
    '/ad%e2%80%8bmin',
    '/ad%c2%admin'.replace('%c2%ad', '%C2%AD'),
    '/%e2%80%ae',
    '/%ef%bb%bfadmin',
    '',
    'admin',
    'http://evil.example/admin',
    'https://x/',
    '*',
    '?x',
    `/${'a'.repeat(20_000)}`,
    `/${'a'.repeat(16_384)}`,
    `/?${'a'.repeat(16_383)}`,
  ];
  test.each(hostile)('%j is refused', target => {
    expect(pathOf(target)).toBe('refused');
  });

  // An operator reads this in the configuration's problems, and a person on the page.
  test.each([
    [`/${'a'.repeat(20_000)}`, 'too long'],
    ['admin', 'must be a path'],
    ['/a#b', 'a fragment'],
    ['/é', 'must be encoded'],
    ['/a%5cb', 'a backslash'],
    ['/a//b', 'an empty segment'],
    ['/a%2fb', 'an encoded slash'],
    ['/a;b', 'a semicolon'],
    ['/a%zz', 'malformed percent-encoding'],
    ['/a%00', 'an encoded control character'],
    ['/%ff', 'not UTF-8'],
    ['/%252e', 'encoded twice'],
    ['/../a', 'a dot segment'],
    ['/ad%e2%80%8bmin', 'read in different ways'],
    [`/q${'%CC%96'.repeat(31)}`, 'more than 30 combining marks'],
  ])('%j is refused with its reason', (target, why) => {
    expect(readRequestPath(target)).toMatchObject({ kind: 'refused', why: expect.stringContaining(why) });
  });
});
