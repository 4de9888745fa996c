import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { AddressList, readPeer, sourceOf } from './peer.ts';

const trusted = new AddressList(['10.0.0.0/8']);

const peerOf = (remoteAddress: string, forwarded: string) => {
  const request = {
    socket: { remoteAddress },
    headers: { 'x-forwarded-for': forwarded },
    rawHeaders: ['X-Forwarded-For', forwarded],
  };
  return readPeer(request as unknown as IncomingMessage, trusted);
};
const clientOf = (forwarded: string) => peerOf('10.0.0.1', forwarded).client;

// Some balancers add the port: if it hid the address, all their clients would count as one for every limit.
test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['2001:db8::7', '2001:db8::7'],
  ['[2001:db8::7]:51234', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['198.51.100.1, 203.0.113.7:51234, 10.0.0.9:80', '203.0.113.7'],
  ['198.51.100.1, unknown', '10.0.0.1'],
  ['203.0.113.7:x', '10.0.0.1'],
  ['203.0.113.7:', '10.0.0.1'],
  ['203.0.113.255:1', '203.0.113.255'],
  ['203.100.113.7:1', '203.100.113.7'],
  ['x203.0.113.7:1', '10.0.0.1'],
  ['x[2001:db8::7]', '10.0.0.1'],
  ['[2001:db8::7]x', '10.0.0.1'],
  ['203.0.113.7:123456', '10.0.0.1'],
  ['', '10.0.0.1'],
  ['10.0.0.3, 10.0.0.2', '10.0.0.1'],
  ['198.51.100.1, ::ffff:203.0.113.7', '203.0.113.7'],
  ['198.51.100.1, ::ffff:203.100.113.77', '203.100.113.77'],
])('X-Forwarded-For: %s names %s', (forwarded, client) => {
  expect(clientOf(forwarded)).toBe(client);
});

test('a header in two lines is one list', () => {
  const request = {
    socket: { remoteAddress: '10.0.0.1' },
    headers: { 'x-forwarded-for': 'x' },
    rawHeaders: ['X-Forwarded-For', '198.51.100.1', 'x-forwarded-for', '203.0.113.7'],
  };
  expect(readPeer(request as unknown as IncomingMessage, trusted).client).toBe('203.0.113.7');
});

test('an address that only ends like one is another', () => {
  expect(trusted.has('1::ffff:0.0.0.1')).toBe(false);
  expect(peerOf('1::ffff:0.0.0.1', '203.0.113.7')).toEqual({
    address: '1::ffff:0.0.0.1',
    isTrusted: false,
    client: '1::ffff:0.0.0.1',
  });
});

test('who is gone has no address, and is nobody', () => {
  const request = { socket: {}, headers: {}, rawHeaders: [] } as unknown as IncomingMessage;
  expect(readPeer(request, trusted)).toEqual({ address: '', isTrusted: false, client: '' });
});

test('more addresses than are remembered are looked up all the same', () => {
  const list = new AddressList(['10.0.0.0/8']);
  for (let at = 0; at < 1_001; at += 1) expect(list.has(`192.0.${at >> 8}.${at & 255}`)).toBe(false);
  expect([list.has('10.0.0.1'), list.has('10.0.0.1'), list.has('192.0.4.0')]).toEqual([true, true, false]);
});

test('of a stranger nothing is believed', () => {
  expect(peerOf('192.0.2.1', '203.0.113.7')).toEqual({ address: '192.0.2.1', isTrusted: false, client: '192.0.2.1' });
});

test('an IPv4 address is the same in IPv6', () => {
  expect(peerOf('::ffff:10.0.0.1', '::ffff:203.0.113.7')).toEqual({
    address: '10.0.0.1',
    isTrusted: true,
    client: '203.0.113.7',
  });
});

test('addresses and ranges of both families', () => {
  const list = new AddressList(['192.0.2.1', '10.0.0.0/8', '2001:db8::1', 'fd00::/8']);
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '10.255.0.1', '2001:db8::1', '2001:DB8:0::1', 'fd12::7'])
    for (const _time of [1, 2]) expect(list.has(address), address).toBe(true);
  for (const address of ['192.0.2.2', '11.0.0.1', '2001:db8::2', 'fe80::1', '', 'localhost'])
    for (const _time of [1, 2]) expect(list.has(address), address).toBe(false);
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  // One network, whose addresses the system writes in two ways.
  ['2001:db8:1:0:3:4:5:6', '2001:db8:1:0::/64'],
  ['2001:db8:1::6', '2001:db8:1:0::/64'],
  ['2001:DB8:0001:0::6', '2001:db8:1:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
])('%s counts as %s', (client, source) => expect(sourceOf(client)).toBe(source));
