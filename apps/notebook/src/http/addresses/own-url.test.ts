import type { FastifyInstance } from 'fastify';
import { expect, it } from 'vitest';
import { ownUrl } from './own-url.ts';

const listening = (address: unknown) => ({ server: { address: () => address } }) as unknown as FastifyInstance;

it.each([
  ['0.0.0.0', 'http://127.0.0.1:3000'],
  ['::', 'http://[::1]:3000'],
  ['10.1.2.3', 'http://10.1.2.3:3000'],
  ['fd00::1', 'http://[fd00::1]:3000'],
])('a process that listens on %s calls itself at %s', (address, url) => {
  expect(ownUrl(listening({ address, family: 'IPv4', port: 3000 }))).toBe(url);
});

it.each([null, '/run/octavo.sock'])('there is no address of a service that listens on %s', address => {
  expect(() => ownUrl(listening(address))).toThrow('The service does not listen yet.');
});
