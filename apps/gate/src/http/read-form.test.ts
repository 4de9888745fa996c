import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { countTimers } from '../../../../tools/own-timers.ts';
import { limits } from '../limits.ts';
import { parameterOf, readBody, readForm } from './read-form.ts';

afterEach(() => vi.useRealTimers());

const requestOf = (stream: PassThrough, more: object = {}) =>
  Object.assign(stream, { headers: {}, ...more }) as unknown as IncomingMessage;

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
