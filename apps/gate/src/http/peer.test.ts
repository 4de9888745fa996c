import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { AddressList, readPeer } from './peer.ts';

const trusted = new AddressList(['10.0.0.0/8']);

const clientOf = (forwarded: string) => {
  const request = {
    socket: { remoteAddress: '10.0.0.1' },
    headers: { 'x-forwarded-for': forwarded },
    rawHeaders: ['X-Forwarded-For', forwarded],
  };
  return readPeer(request as unknown as IncomingMessage, trusted).client;
};

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
])('X-Forwarded-For: %s names %s', (forwarded, client) => {
  expect(clientOf(forwarded)).toBe(client);
});
