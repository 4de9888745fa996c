import { describe, expect, it } from 'vitest';
import { clientKey, networkOf, networksOf } from './client-ip.ts';

describe('whom a per-IP limit counts', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    // An IPv4-compatible address, a form that RFC 4291 deprecates.
    ['::203.0.113.7', '203.0.113.7'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002::ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::ffff:0:1.2.3.4', '0:0:0:0::/64'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
    ['203.0.113.7:', 'unknown'],
    ['[nothing]', 'unknown'],
    ['not an address', 'unknown'],
    ['203.0.113', 'unknown'],
    ['0313.0.0161.07', 'unknown'],
    ['0xcb007107', 'unknown'],
    ['203.0.113.7.', 'unknown'],
    ['x203.0.113.7:80', 'unknown'],
    ['[2001:db8::1]:x', 'unknown'],
    ['[2001:db8::1]:80x', 'unknown'],
    ['x[2001:db8::1]', 'unknown'],
    ['', 'unknown'],
    [undefined, 'unknown'],
  ])('%s counts as %s', (address, key) => expect(clientKey(address)).toBe(key));

  it('tells neighbours in one /64 not apart, but the next /64 is another client', () => {
    expect(clientKey('2001:db8:1:2::1')).toBe(clientKey('2001:db8:1:2:ffff::2'));
    expect(clientKey('2001:db8:1:2::1')).not.toBe(clientKey('2001:db8:1:3::1'));
  });
});

it.each([
  ['203.0.113.7', '203.0.113'],
  ['2001:DB8:1:2:3::4', '2001:db8:1'],
  ['2001:db8:1:ffff::', '2001:db8:1'],
  ['::1', '0:0:0'],
  [undefined, 'unknown'],
])('%s is in the network %s', (address, network) => {
  expect(networkOf(clientKey(address))).toBe(network);
});

it.each([
  ['203.0.113.7', '203.0', '203.0.113'],
  ['2001:DB8:1:2:3::4', '2001:db8', '2001:db8:1'],
  ['::1', '0:0', '0:0:0'],
  [undefined, 'unknown', 'unknown'],
])('%s is in the networks %s and %s', (address, wide, network) => {
  expect(networksOf(clientKey(address))).toEqual([wide, network]);
});
