import { describe, expect, test } from 'vitest';
import { isSameAddress } from '../src/values/network-address.ts';

describe('two spellings of one network address', () => {
  test.each([
    ['198.51.100.7', '198.51.100.7'],
    [' 198.51.100.7\n', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['::FFFF:10.0.0.1', '10.0.0.1'],
    ['::ffff:255.255.255.255', '255.255.255.255'],
    ['::ffff:c633:6407', '198.51.100.7'],
    ['::ffff:a:1', '0.10.0.1'],
    ['0:0:0:0:0:ffff:c633:6407', '198.51.100.7'],
    ['[2001:DB8:0::1]', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('%j is %j', (left, right) => {
    expect(isSameAddress(left, right)).toBe(true);
    expect(isSameAddress(right, left)).toBe(true);
  });

  test.each([
    ['198.51.100.7', '198.51.100.70'],
    ['::ffff:198.51.100.7', '198.51.100.70'],
    ['::ffff:1.51.100.7', '198.51.100.7'],
    ['::ffff:198.5.100.7', '198.51.100.7'],
    ['::ffff:198.51.1.7', '198.51.100.7'],
    ['2001:db8::ffff:c633:6407', '198.51.100.7'],
    ['::ffff:c633:6407:1', '198.51.100.7'],
    ['2001:db8::1', '2001:db8::2'],
  ])('%j is not %j', (left, right) => expect(isSameAddress(left, right)).toBe(false));

  test.each([
    '',
    'somewhere',
    '::ffff:198.51.100.700',
    '::ffff:198.51.100.7.1',
    'x::ffff:198.51.100.7',
    '::ffff:198.51.100.7x',
    'x[2001:db8::1]',
    '[2001:db8::1]x',
    '[198.51.100.7',
    '198.51.100',
  ])('%j is none, not even its own', text => expect(isSameAddress(text, text)).toBe(false));
});
