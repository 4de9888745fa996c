import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { canonicalName } from '../model/header-names.ts';
import { answerHeaders, upstreamHeaders } from './headers.ts';

const plain = { address: '203.0.113.7', isTrusted: false, client: '203.0.113.7' };

/** The pairs that the application gets of a request with these, without what the gate adds itself unless `all`. */
function sent(
  pairs: readonly (readonly [string, string])[],
  { all = false, peer = plain, publicUrl = 'https://gate.example' } = {},
) {
  const rawHeaders = pairs.flat();
  const connection = pairs.filter(([name]) => name.toLowerCase() === 'connection').map(([, value]) => value);
  const headers = connection.length === 0 ? {} : { connection: connection.join(', ') };
  const parts = {
    isReserved: (name: string) => canonicalName(name).startsWith('x-auth-'),
    isOurCookie: (name: string) => name === 'gate',
    config: { publicUrl },
  };
  const request = { rawHeaders, headers } as unknown as IncomingMessage;
  const out = upstreamHeaders(request, peer, parts, [['X-Auth-Subject', 'ada']]);
  const twos = out.flatMap((name, at) => (at % 2 === 0 ? [[name, out[at + 1]]] : []));
  return all ? twos : twos.slice(0, -5);
}

test('what a client sends goes on as it came: names, order, repeats', () => {
  const pairs = [
    ['X-B', '1'],
    ['x-a', '2'],
    ['X-B', '3'],
    ['Authorization', 'Basic x'],
    ['Cookie2', 'y'],
  ] as const;
  for (const _time of [1, 2]) expect(sent(pairs)).toEqual(pairs);
});

test('the gate says itself who asks, for what, and who it is', () => {
  expect(sent([], { all: true })).toEqual([
    ['Host', 'gate.example'],
    ['X-Forwarded-Host', 'gate.example'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Forwarded-For', '203.0.113.7'],
    ['X-Auth-Subject', 'ada'],
  ]);
  expect(sent([], { all: true, publicUrl: 'http://127.0.0.1:8080' }).slice(0, 3)).toEqual([
    ['Host', '127.0.0.1:8080'],
    ['X-Forwarded-Host', '127.0.0.1:8080'],
    ['X-Forwarded-Proto', 'http'],
  ]);
});

test('only a trusted proxy says for whom it asks, and is named after them', () => {
  const forwarded = [
    ['X-Forwarded-For', '198.51.100.1'],
    ['x-forwarded-for', '198.51.100.2, 198.51.100.3'],
  ] as const;
  const peer = { address: '10.0.0.1', client: '198.51.100.3' };
  const forOf = (isTrusted: boolean, pairs: typeof forwarded | []) =>
    sent(pairs, { all: true, peer: { ...peer, isTrusted } }).at(-2);
  expect(forOf(true, forwarded)).toEqual(['X-Forwarded-For', '198.51.100.1, 198.51.100.2, 198.51.100.3, 10.0.0.1']);
  expect(forOf(false, forwarded)).toEqual(['X-Forwarded-For', '10.0.0.1']);
  expect(forOf(true, [])).toEqual(['X-Forwarded-For', '10.0.0.1']);
});

test.each([
  ...['Connection', 'Keep-Alive', 'Proxy-Authenticate', 'Proxy-Authorization', 'Proxy-Connection', 'TE', 'Trailer'],
  ...['Transfer-Encoding', 'Upgrade', 'Host', 'HOST', 'Expect', 'expect'],
])('%s is of this connection alone', name => {
  expect(
    sent([
      [name, 'x'],
      ['X-A', '1'],
    ]),
  ).toEqual([['X-A', '1']]);
});

test.each([
  ...['X-Auth-Subject', 'x_auth_subject', 'X-Auth-Anything'],
  ...['X-Forwarded', 'X-Forwarded-User', 'X_Forwarded_For', 'X.Forwarded.Host', 'Forwarded', 'Forwarded-For'],
  ...['X-Original-URL', 'X-Original-Anything', 'X-Rewrite-URL', 'X-Override-URL', 'X-HTTP-Method', 'X-HTTP-Method-Override'],
  ...['X-Method-Override', 'X-Accel-Redirect', 'X-Sendfile', 'X-Sendfile-Type', 'Proxy', 'Front-End-HTTPS'],
  ...[
    'X-Envoy-Original-Path',
    'X-Envoy-External-Address',
    'X-Real-IP',
    'Real-IP',
    'Client-IP',
    'X-Client-IPv6',
    'X-Cluster-Client-IP',
  ],
  ...['True-Client-IP', 'CF-Connecting-IP', 'CF_Connecting_IPv6', 'Fastly-Client-IP', 'Fly-Client-IP', 'X-ProxyUser-IP'],
  ...['X-Azure-ClientIP', 'X-Azure-SocketIP', 'X-Host', 'X-Proto', 'X-Scheme', 'X-URL-Scheme', 'X-Script-Name'],
])('%s of a client is not believed', name => {
  expect(
    sent([
      [name, 'evil'],
      ['X-A', '1'],
    ]),
  ).toEqual([['X-A', '1']]);
});

test.each([
  'X-Forwardedness',
  'X-Originally',
  'Proxy-Status',
  'My-Proxy',
  'X-Hosting',
  'My-X-Host',
  'Client-IPs',
  'X-Scheme-Of',
  'Expected',
  'X-Rewrite-URLs',
  'Forwarded-By',
  'Forwardedness',
  'X-Method-Overrides',
  'Front-End-HTTPS-Only',
  'X-Azure-ClientIPs',
])('%s only looks like one of those', name => expect(sent([[name, 'fine']])).toEqual([[name, 'fine']]));

test('a name is looked at once, and a flood of names leaves no more than 1000 behind', () => {
  const asked: string[] = [];
  const parts = {
    isReserved: (name: string) => asked.push(name) === 0,
    isOurCookie: () => false,
    config: { publicUrl: 'https://gate.example' },
  };
  const send = (name: string) => {
    asked.length = 0;
    const request = { rawHeaders: [name, '1'], headers: {} } as unknown as IncomingMessage;
    expect(upstreamHeaders(request, plain, parts, []).slice(0, 2)).toEqual([name, '1']);
    return asked.length;
  };
  const names = Array.from({ length: 1000 }, (_, at) => `X-${at}`);
  expect(names.map(send)).toEqual(names.map(() => 1));
  expect(names.map(send)).toEqual(names.map(() => 0));
  expect([send('X-More'), send('X-More'), send('X-0')]).toEqual([1, 1, 0]);
});

test('what Connection lists stays here, whatever its letters', () => {
  const pairs = [
    ['Connection', 'keep-alive, X-Hop'],
    ['connection', ' X-OTHER ,,'],
    ['x-hop', '1'],
    ['X-Other', '2'],
    ['X-A', '3'],
  ] as const;
  expect(sent(pairs)).toEqual([['X-A', '3']]);
  for (const value of ['keep-alive', 'close', 'Keep-Alive', 'Close', ''])
    expect(
      sent([
        ['Connection', value],
        ['Close', '1'],
        ['X-A', '2'],
      ]),
    ).toEqual([
      ['Close', '1'],
      ['X-A', '2'],
    ]);
});

test('our cookies stay here, the others go on, and no empty header does', () => {
  // Only as a cookie.
  expect(sent([['X-A', 'a=1; gate=2']])).toEqual([['X-A', 'a=1; gate=2']]);
  expect(
    sent([
      ['Cookie', 'a=1; gate=secret; b=2'],
      ['COOKIE', 'gate=secret'],
      ['cookie', 'c=3'],
    ]),
  ).toEqual([
    ['Cookie', 'a=1; b=2'],
    ['cookie', 'c=3'],
  ]);
});

/** What the person gets of an answer. */
const given = (pairs: readonly (readonly [string, string | Buffer])[], caching: 'as-said' | 'private' = 'as-said') => {
  const raw = pairs.flatMap(([name, value]) => [Buffer.from(name, 'latin1'), Buffer.from(value as string, 'latin1')]);
  const out = answerHeaders(raw, { isReserved: () => false, isOurCookie: name => name === 'gate', caching });
  return out.flatMap((name, at) => (at % 2 === 0 ? [[name, out[at + 1]]] : []));
};

test('an answer goes on as it came: names, order, repeats, octets', () => {
  const pairs = [
    ['Set-Cookie', 'a=1'],
    ['X-B', 'ä\u00ff'],
    ['Set-Cookie', 'b=2'],
    ['cache-control', 'public'],
    ['Vary', 'Accept'],
    ['Content-Length', '5'],
  ] as const;
  for (const _time of [1, 2]) expect(given(pairs)).toEqual(pairs);
});

test('an answer’s headers of one connection stay at the other side, and so do the listed ones', () => {
  expect(
    given([
      ['Connection', 'keep-alive'],
      ['Keep-Alive', 'timeout=5'],
      ['Transfer-Encoding', 'chunked'],
      ['Trailer', 'x'],
      ['Proxy-Authenticate', 'Basic'],
      ['X-Hop', '1'],
      ['X-A', '2'],
    ]),
  ).toEqual([
    ['X-Hop', '1'],
    ['X-A', '2'],
  ]);
  expect(
    given([
      ['X-Hop', '1'],
      ['Connection', 'close, X-Hop'],
      ['connection', ' x-other ,'],
      ['x-other', '2'],
      ['X-A', '3'],
    ]),
  ).toEqual([['X-A', '3']]);
  // A list in one line, and a lone name.
  expect(
    given([
      ['Connection', 'X-Hop'],
      ['X-Hop', '1'],
      ['X-A', '2'],
    ]),
  ).toEqual([['X-A', '2']]);
});

test('a cookie of the gate, under any name that a browser sends back as ours, comes from nobody else', () => {
  expect(
    given([
      ['SET-COOKIE', 'gate=evil'],
      ['Set-Cookie', ' =gate=evil'],
      ['set-cookie', 'gated=1'],
    ]),
  ).toEqual([['set-cookie', 'gated=1']]);
  // Only as a cookie.
  expect(given([['X-Set-Cookie', 'gate=1']])).toEqual([['X-Set-Cookie', 'gate=1']]);
});

test('what says who may keep an answer is one word at its end', () => {
  const pairs = [
    ['CDN-Cache-Control', 'max-age=9'],
    ['Vary', 'Accept'],
    ['X-A', '1'],
    ['Cache-Control', 'public, max-age=5'],
    ['vary', 'Cookie'],
  ] as const;
  expect(given(pairs, 'private')).toEqual([
    ['X-A', '1'],
    ['Vary', 'Accept, Cookie'],
    ['Cache-Control', 'private, max-age=5'],
  ]);
});
