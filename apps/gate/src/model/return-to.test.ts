import { describe, expect, test } from 'vitest';
import { isTooLongToKeep, readReturnTo } from './return-to.ts';

const site = 'https://notes.example.org';

/** Ways to reach another site, built from the parts that such lists are made of. */
function payloads(): string[] {
  const slashes = [
    '//',
    '///',
    '////',
    '/\\',
    '\\/',
    '\\\\',
    '\\',
    '/\\/',
    '/\\\\',
    '//\\',
    '/%09/',
    '/\t/',
    '/\n/',
    '/\r/',
    '/%0d/',
    '/%5c',
    '/%5c/',
    '/%2f',
    '/%2f/',
    '/%2F%2F',
    '\t//',
    ' //',
    '/.//',
    '/..//',
    '/%2e//',
    '/%2e%2e//',
    '/./\\',
    '//;@',
    '/;//',
  ];
  const hosts = [
    'evil.example',
    'evil.example/',
    'evil.example/%2f..',
    'notes.example.org.evil.example',
    'notes.example.org@evil.example',
    'notes.example.org:443@evil.example',
    'evil%E3%80%82example',
    'evil。example',
    '[::ffff:127.0.0.1]',
    '2130706433',
    'evil.example?notes.example.org',
    'evil.example#notes.example.org',
    'evil.example\\@notes.example.org',
    'user:pass@evil.example',
  ];
  const schemes = [
    'http:',
    'https:',
    'HTTPS:',
    'hTtP:',
    'https:/',
    'http://',
    'https://',
    'https:///',
    'http:\\\\',
    'ftp://',
    'javascript:',
    'JaVaScRiPt:',
    'java\tscript:',
    'java\nscript:',
    'data:text/html,',
    'vbscript:',
    'blob:',
    'file:///',
    'view-source:',
    '%68ttps://',
    'ws://',
  ];
  const tails = ['', 'alert(1)', '//evil.example', 'evil.example', '%0aalert(1)'];
  const others = [
    '',
    ' ',
    '.',
    '..',
    '@evil.example',
    ':evil.example',
    ';evil.example',
    '?x',
    '#x',
    '.evil.example',
    'evil.example',
    '/\u0000',
    '/a\u0000b',
    '/a\r\nSet-Cookie: x=1',
    '/a\nb',
    '/a\u2028',
    `/${'a'.repeat(5000)}`,
    '/gate/sign-in',
    '/gate',
    '/gate/sign-out',
    '/GATE/sign-in',
    '/x/../gate/sign-in',
    '/x/..//evil.example',
    '/x/..//..//evil.example',
    '/gate/resume?form=x',
    '/gate/resume?form=../../..//evil.example',
  ];
  return [
    ...slashes.flatMap(slash => hosts.map(host => `${slash}${host}`)),
    ...schemes.flatMap(scheme => tails.map(tail => `${scheme}${tail}`)),
    ...others,
  ];
}

const all = payloads();

describe('where a person goes after signing in', () => {
  test(`of ${all.length} payloads none leads to another site or in a circle`, () => {
    expect(all.length).toBeGreaterThanOrEqual(400);
    const bad = all.filter(payload => {
      const path = readReturnTo(payload);
      if (path === undefined) return false;
      // Where a browser goes with this Location header, and where it would go if it read the path a second time.
      const url = new URL(path, site);
      const again = new URL(`${url.pathname}${url.search}`, site);
      return (
        !path.startsWith('/') ||
        url.origin !== site ||
        again.origin !== site ||
        /[^\x21-\x7e]|\\/.test(path) ||
        /^\/gate(\/|$)/i.test(url.pathname)
      );
    });
    expect(bad).toEqual([]);
  });

  test.each([
    ['/', '/'],
    ['/n/a?x=1&y=%2F', '/n/a?x=1&y=%2F'],
    ['/a?next=https://elsewhere.example//x', '/a?next=https://elsewhere.example//x'],
    ['/a#part', '/a'],
    ['/gateway', '/gateway'],
    ['/a/../b', '/b'],
    ['/notes/gate/x', '/notes/gate/x'],
    ['/a/%2Fb', '/a/%2Fb'],
    [`/${'a'.repeat(4095)}`, `/${'a'.repeat(4095)}`],
    [`/gate/resume?form=${'A'.repeat(32)}`, `/gate/resume?form=${'A'.repeat(32)}`],
  ])('%s goes to %s', (given, path) => {
    expect(readReturnTo(given)).toBe(path);
  });

  test.each([undefined, null, 7, ['/a'], {}, 'a', 'n/a', '/%2Fevil', '/%5cevil', '/a b', '/a\tb', `/${'a'.repeat(4096)}`])(
    '%j is no place',
    value => {
      expect(readReturnTo(value)).toBeUndefined();
    },
  );

  test('an address is lost for its length alone only if it is longer than 4,096 characters', () => {
    expect(isTooLongToKeep(`/${'a'.repeat(4096)}`)).toBe(true);
    expect(isTooLongToKeep(`/${'a'.repeat(4095)}`)).toBe(false);
    expect(isTooLongToKeep('//evil.example')).toBe(false);
    expect(isTooLongToKeep({ length: 5000 })).toBe(false);
  });
});
