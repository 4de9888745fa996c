import { afterAll, expect, test } from 'vitest';
import { Connections } from './connections.ts';

// Nothing is sent here, so no connection is opened.
const connections = new Connections('http://127.0.0.1:9', 1);
afterAll(() => connections.close());

test('the connection that was free last is taken first, and one that is taken is nobody else’s', () => {
  const [first, second] = [connections.take(), connections.take()];
  expect(second).not.toBe(first);
  connections.give(first);
  connections.give(second);
  expect([connections.take(), connections.take()]).toEqual([second, first]);
  expect(connections.take()).not.toBe(first);
});

test('after a rush the connections that nobody needs are closed', async () => {
  const rush = Array.from({ length: 300 }, () => connections.take());
  for (const one of rush) connections.give(one);
  expect(rush.filter(one => one.closed)).toHaveLength(300 - 256);
});
