import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { requireOneReading } from './one-reading.ts';

const read =
  (hosts: readonly string[], coding?: string, httpVersion = '1.1') =>
  () =>
    requireOneReading({
      httpVersion,
      rawHeaders: hosts.flatMap(host => ['Host', host]),
      headers: { ...(coding === undefined ? {} : { 'transfer-encoding': coding }) },
    } as unknown as IncomingMessage);
const refused = expect.objectContaining({ code: 'BAD_REQUEST' });

test.each(['gate.example', 'gate.example:443', 'gate.example:', 'my_host', '127.0.0.1', '[::1]:4180', '[::ffff:127.0.0.1]'])(
  'the host %s is one',
  host => expect(read([host])).not.toThrow(),
);

test.each(['', 'a b', 'a/b', 'a@b', 'a?b', 'a#b', '[::1', '::1', 'a:b', 'a:123456', 'a\\b', 'http://a'])(
  'the host %j is none',
  host => expect(read([host])).toThrow(refused),
);

test('a request has exactly one host', () => {
  expect(read([])).toThrow(refused);
  expect(read(['a', 'a'])).toThrow(refused);
});

test('in HTTP/1.0 a request may have none, but not two, nor one that is none', () => {
  expect(read([], undefined, '1.0')).not.toThrow();
  expect(read(['a', 'a'], undefined, '1.0')).toThrow(refused);
  expect(read(['a/b'], undefined, '1.0')).toThrow(refused);
});

test('the only transfer coding is chunked', () => {
  expect(read(['a'], 'Chunked')).not.toThrow();
  for (const coding of ['gzip, chunked', 'chunked, chunked', 'identity', ''])
    expect(read(['a'], coding), coding).toThrow(refused);
});

test('a refusal says what was wrong', () => {
  const why = (read: () => void) => {
    try {
      read();
    } catch (error) {
      return (error as { detail?: string }).detail;
    }
  };
  expect([why(read([])), why(read(['a b'])), why(read(['a'], 'gzip'))]).toEqual([
    'expected exactly one Host header',
    'the Host header is not a valid host',
    'the only supported transfer coding is chunked',
  ]);
});
