import { isIP } from 'node:net';
import { expect, it } from 'vitest';
import { listenAddress } from './listen-address.ts';

it('localhost is one address', async () => {
  expect(isIP(await listenAddress('localhost'))).not.toBe(0);
});

it.each(['0.0.0.0', '::', '127.0.0.2', 'notes.invalid'])('%s is left to the framework', async host => {
  expect(await listenAddress(host)).toBe(host);
});
