import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { countTimers } from '../../../../tools/own-timers.ts';
import { limits } from '../limits.ts';
import { BodiesInFlight } from './bodies-in-flight.ts';
import { parameterOf, readBody, readForm } from './read-form.ts';

afterEach(() => vi.useRealTimers());

const requestOf = (stream: PassThrough, more: object = {}, client = '192.0.2.1', bodies = new BodiesInFlight()) => ({
  request: Object.assign(stream, { headers: {}, ...more }) as unknown as IncomingMessage,
  peer: { client },
  parts: { bodies },
});

test('a form that drips in is given up after its time, one that came is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const timersLeft = countTimers('/http/read-form.ts');
  const slow = new PassThrough();
  const read = readBody(requestOf(slow), 100);
  slow.write('a=');
  vi.advanceTimersByTime(limits.formSeconds * 1000 - 1);
  expect([slow.destroyed, timersLeft()]).toEqual([false, 1]);
  vi.advanceTimersByTime(1);
  await expect(read).rejects.toMatchObject({ code: 'BAD_REQUEST', detail: 'the form did not arrive in time' });
  const fast = new PassThrough();
  fast.end('a=1');
  expect((await readBody(requestOf(fast), 100)).toString()).toBe('a=1');
  expect(timersLeft()).toBe(0);
});

test('a body is as large as it may be, whatever its sender says', async () => {
  const body = (text: string, headers = {}) => {
    const stream = new PassThrough();
    stream.end(text);
    return readBody(requestOf(stream, { headers }), 3);
  };
  expect((await body('abc', { 'content-length': '3' })).toString()).toBe('abc');
  for (const headers of [{}, { 'content-length': '1' }])
    await expect(body('abcd', headers)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
  await expect(body('a', { 'content-length': '4' })).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
});

test('a form is what was posted, and only of another request the query', async () => {
  const read = async (method: string) => {
    const stream = new PassThrough();
    stream.end('a=posted&a=more');
    const form = await readForm(requestOf(stream, { method, url: '/x?a=asked', headers: { 'content-type': 't/t' } }), 100);
    return [form.contentType, form.body, parameterOf(form, 'a'), parameterOf(form, 'b')];
  };
  expect(await read('POST')).toEqual(['t/t', 'a=posted&a=more', 'posted', undefined]);
  expect(await read('GET')).toEqual(['t/t', '', 'asked', undefined]);
  expect(parameterOf({ method: 'GET', url: 'a=1', contentType: undefined, body: 'a=2' }, 'a')).toBeUndefined();
  expect(parameterOf({ method: 'GET', url: '/a=1', contentType: undefined, body: 'a=2' }, 'a')).toBeUndefined();
});

test('a body that already ended is empty, and one whose client has left is incomplete', async () => {
  const ended = new PassThrough();
  ended.resume().end();
  await once(ended, 'end');
  expect((await readBody(requestOf(ended), 3)).length).toBe(0);
  const left = new PassThrough();
  left.destroy();
  await expect(readBody(requestOf(left), 3)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  const leaves = new PassThrough();
  const read = readBody(requestOf(leaves), 3);
  leaves.destroy();
  await expect(read).rejects.toMatchObject({ code: 'BAD_REQUEST', detail: 'the form did not arrive in full' });
});

test('when too much is arriving, the source that sends most loses its largest body, and others arrive', async () => {
  const bodies = new BodiesInFlight(10_000);
  const send = (client: string, bytes: number) => {
    const stream = new PassThrough();
    const read = readBody(requestOf(stream, {}, client, bodies), 10_000);
    read.catch(() => {});
    stream.write(Buffer.alloc(bytes));
    return { stream, read };
  };
  const flood = [4_000, 5_000].map(bytes => send('192.0.2.1', bytes));
  // One network of IPv6 is one source.
  const others = ['2001:db8::1', '2001:db8::2'].map(client => send(client, 1_500));
  await expect(flood[1]?.read).rejects.toMatchObject({ code: 'BUSY' });
  for (const { stream } of [flood[0]!, ...others]) stream.end();
  expect(await Promise.all([flood[0]!, ...others].map(async ({ read }) => (await read).length))).toEqual([4_000, 1_500, 1_500]);
  expect(bodies.bytes).toBe(0);
});

test('a body of tiny chunks counts for the memory that they take', async () => {
  const bodies = new BodiesInFlight(10_000);
  const stream = new PassThrough();
  const read = readBody(requestOf(stream, {}, '192.0.2.1', bodies), 10_000);
  read.catch(() => {});
  for (let at = 0; at < 100; at += 1) {
    stream.write('a');
    await new Promise(setImmediate);
  }
  await expect(read).rejects.toMatchObject({ code: 'BUSY' });
  expect(bodies.bytes).toBe(0);
});
