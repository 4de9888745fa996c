import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { limits } from '../limits.ts';
import { readBody } from './read-form.ts';

afterEach(() => vi.useRealTimers());

const requestOf = (stream: PassThrough) => Object.assign(stream, { headers: {} }) as unknown as IncomingMessage;

test('a form that drips in is given up after its time, one that came is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const slow = new PassThrough();
  const read = readBody(requestOf(slow), 100);
  slow.write('a=');
  vi.advanceTimersByTime(limits.formSeconds * 1000);
  await expect(read).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  const fast = new PassThrough();
  fast.end('a=1');
  expect((await readBody(requestOf(fast), 100)).toString()).toBe('a=1');
  expect(vi.getTimerCount()).toBe(0);
});
