import { expect, test } from 'vitest';
import { readReturnTo } from '../../src/index.ts';

test.each(['/', '/n/abc', '/n/abc?x=1#part', '/a//b', '/a//', '/:80'])('accepts %s as a path on this site', path => {
  expect(readReturnTo(path)).toBe(path);
});

test.each([
  '',
  'n',
  '//evil.example',
  '//here.invalid/x',
  '/\\evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/%2e//evil.example',
  '/a/..//evil.example',
  '\\\\evil',
  '/\t/evil.example',
  '/\n/evil',
  'https:evil',
  'https://evil.example',
  'javascript:alert(1)',
  '/a\\b',
  '/a\r\nSet-Cookie: x=1',
  '/a\u0000',
  `/${'x'.repeat(2048)}`,
  undefined,
  ['/'],
])('refuses %j', path => {
  expect(() => readReturnTo(path)).toThrow(expect.objectContaining({ code: 'OIDC_CONFIG_INVALID' }));
});
