import { describe, expect, test, vi } from 'vitest';
import { countTimers } from '../../../../tools/own-timers.ts';
import { platformEnvironment, readEnvironment } from '../../src/environment.ts';
import { isLoopback, readEndpointUrl } from '../../src/http/endpoint-url.ts';
import { exchange, type HttpParts, readBody, readJsonAnswer, requireStatus } from '../../src/http/http.ts';
import { isPrivateAddress, OidcError, refusePrivateAddresses } from '../../src/index.ts';
import { defaultLimits } from '../../src/limits.ts';
import { errorOf } from '../support/expect-refused.ts';

describe('a network address is private', () => {
  test.each([
    ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '127.0.0.1', '127.255.255.255', '224.0.0.1', '255.255.255.255'],
    ...['100.64.0.0', '100.127.255.255', '169.254.0.0', '169.254.255.255', '172.16.0.0', '172.31.255.255'],
    ...['192.168.0.0', '192.168.255.255', '192.0.0.1', '192.0.0.255', '198.18.0.0', '198.19.255.255'],
    ...['192.0.2.0', '192.0.2.255', '192.88.99.0', '192.88.99.255', '198.51.100.0', '198.51.100.255'],
    ...['203.0.113.0', '203.0.113.255', '::ffff:203.0.113.7', '::ffff:cb00:7107', '239.255.255.255', '240.0.0.0'],
    ...['2001:1::1', '2001:2::1', '2001:10::1', '2001:1ff:ffff::1', '3fff::1', '3fff:fff:ffff::1', '2::1', '3f::1', '20::1'],
    ...['::', '::1', '::ffff:10.0.0.1', '::10.0.0.1', '::ffff:a00:1', '::ffff:7f00:1', '::FFFF:C0A8:1', '64:ff9b::a00:1'],
    ...['fe80::1', 'fc00::1', 'fdff::1', 'ff02::1', '1fff::1', '4000::1', '2002:a00:1::', '2001:db8::1', '2001:0db8::1'],
    ...['2001:0:a00:1::', '2001::1', '2001:0000:4136:e378::1', '::ffff:808:808:1', '::ffff:8.8.8.8.'],
  ])('%s', address => expect(isPrivateAddress(address)).toBe(true));
});

describe('a network address is public, or none', () => {
  test.each([
    ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '126.255.255.255', '128.0.0.0', '223.255.255.255'],
    ...['100.63.255.255', '100.128.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
    ...['192.167.255.255', '192.169.0.0', '192.1.0.0', '198.17.255.255', '198.20.0.0', '191.255.255.255'],
    ...['192.0.1.0', '192.0.3.0', '192.0.66.2', '192.88.98.255', '192.88.100.0', '198.51.99.255', '198.51.101.0'],
    ...['203.0.112.255', '203.0.114.0', '::ffff:cb00:7200', '2001:200::1', '2001:db7::1', '2001:db9::1', '3fff:1000::1'],
    ...['::ffff:8.8.8.8', '::ffff:808:808', '2000::1', '3fff:ffff::1', '2003::1', '2001:470::1', '2001:4860:4860::8888'],
    ...['::8.8.8.8', '::808:808', '::ffff:11.12.13.14', '2600::10.0.0.1', '2600::a00:1', '2600:2001::1', '8.18.0.1', '8.19.0.1'],
    ...['10.0.0', '10.0.0.0.0', '10.0.0.256', '10.0.0.-1', '10.0.0.x', 'ten', ''],
  ])('%s', address => expect(isPrivateAddress(address)).toBe(false));
});

describe('the guard of addresses', () => {
  const asked: string[] = [];
  const guard = refusePrivateAddresses(async name => {
    asked.push(name);
    return ['93.184.216.34'];
  });

  test.each(['localhost', 'a.localhost', 'LOCALHOST.', 'x.intranet', 'x.lan', 'nas.home.arpa', 'home.arpa.'])(
    'refuses the local name %s without looking it up',
    async name => {
      const error = await errorOf(guard(new URL(`https://${name}/`)));
      expect(error).toMatchObject({ code: 'OIDC_HTTP_URL_REFUSED', check: 'private_address', expected: 'a public host' });
      expect(asked).toEqual([]);
    },
  );

  test('looks names up that only resemble local ones, and no addresses', async () => {
    for (const name of ['mylocalhost', 'internal.example', 'lan.example', 'xhome.arpa', 'localx', '1.2.3.4.example']) {
      await guard(new URL(`https://${name}/`));
      expect(asked.splice(0)).toEqual([name]);
    }
    for (const address of ['93.184.216.34', '[2606:2800:220:1::1]']) await guard(new URL(`https://${address}/`));
    expect(asked).toEqual([]);
  });

  test('without a resolver refuses what can be told from the text alone', async () => {
    const alone = refusePrivateAddresses();
    await alone(new URL('https://op.example/'));
    expect((await errorOf(alone(new URL('https://[::1]/')))).received).toBe('[::1]');
  });
});

/** The exchange with a server that is this function. */
const parts = (fetch: HttpParts['environment']['fetch'], more: Partial<HttpParts> = {}): HttpParts => ({
  environment: { ...platformEnvironment, fetch },
  limits: defaultLimits,
  ...more,
});
const settled = async <T>(work: () => T): Promise<T> => work();
const request = { subject: 'token', url: new URL('https://op.example/token') };

describe('a call to the provider', () => {
  test.each([
    ['in the body', async (body: ReadableStream) => new Response(body)],
    ['before the answer', (body: ReadableStream) => new Promise<Response>(go => setTimeout(() => go(new Response(body)), 60))],
  ])('stops reading at its timeout even if fetch ignores the signal: %s', async (_, answer) => {
    const canceled = Promise.withResolvers<void>();
    const endless = new ReadableStream({
      pull: async controller => {
        await new Promise(go => setTimeout(go, 1));
        controller.enqueue(new Uint8Array(1));
      },
      cancel: () => canceled.resolve(),
    });
    const limited = parts(() => answer(endless), { limits: { ...defaultLimits, requestTimeoutMs: 30 } });
    expect(await errorOf(exchange(limited, request))).toMatchObject({ code: 'OIDC_HTTP_TIMEOUT' });
    await canceled.promise;
  });

  test('sends only what it was given, nothing of the browser', async () => {
    const sent: [string, RequestInit][] = [];
    const answer = await exchange(
      parts(async (url, init) => {
        sent.push([url, init]);
        return new Response('{}', { status: 201, headers: { 'content-type': ' Application/JSON ; charset=utf-8' } });
      }),
      { ...request, headers: { 'x-a': '1' } },
    );
    expect(sent[0]?.[0]).toBe('https://op.example/token');
    expect(sent[0]?.[1]).toMatchObject({
      method: 'GET',
      headers: { accept: 'application/json', 'x-a': '1' },
      body: null,
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    });
    expect([answer.status, answer.contentType]).toEqual([201, 'application/json']);
    // Once it has been answered nothing of it is left under way.
    expect(sent[0]?.[1].signal?.aborted).toBe(true);
  });

  test('has no media type if the answer has none', async () => {
    const answer = await exchange(
      parts(async () => new Response(new Uint8Array([123, 125]))),
      request,
    );
    expect(answer.contentType).toBe('');
    expect((await errorOf(settled(() => readJsonAnswer(answer, 'token')))).code).toBe('OIDC_HTTP_CONTENT_TYPE');
  });

  test.each([300, 301, 302, 303, 307, 308, 399])('does not follow %i', async status => {
    const redirect = async () => new Response(null, { status, headers: { location: 'https://evil.example' } });
    const error = await errorOf(exchange(parts(redirect), request));
    expect(error).toMatchObject({ code: 'OIDC_HTTP_REDIRECT', check: 'token', received: String(status) });
  });

  test.each([299, 400])('does not treat %i as a redirect', async status => {
    expect(
      (
        await exchange(
          parts(async () => new Response('', { status })),
          request,
        )
      ).status,
    ).toBe(status);
  });

  test('reports the network code, the name of the error, or unknown', async () => {
    const failing = async (error: unknown) =>
      (
        await errorOf(
          exchange(
            parts(() => Promise.reject(error)),
            request,
          ),
        )
      ).received;
    expect(await failing(new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) }))).toBe(
      'ECONNRESET',
    );
    expect(await failing(Object.assign(new Error('x'), { code: 'EPIPE' }))).toBe('EPIPE');
    expect(await failing(new RangeError('x'))).toBe('RangeError');
    expect(await failing('text')).toBe('unknown');
    expect(await failing(null)).toBe('unknown');
  });

  test('is not made if the guard refuses, and keeps its reason', async () => {
    let calls = 0;
    const guarded = (guardUrl: HttpParts['guardUrl']) =>
      errorOf(
        exchange(
          parts(async () => new Response(String(calls++)), { guardUrl }),
          request,
        ),
      );
    const cause = new Error('no');
    expect(await guarded(() => Promise.reject(cause))).toMatchObject({
      code: 'OIDC_HTTP_URL_REFUSED',
      check: 'token.guardUrl',
      received: 'op.example',
      cause,
    });
    const own = new OidcError('OIDC_CONFIG_INVALID', { check: 'mine' });
    expect(await guarded(() => Promise.reject(own))).toBe(own);
    expect(calls).toBe(0);
  });

  test('is not made after its timeout, however long the guard took', async () => {
    const guard = Promise.withResolvers<void>();
    let calls = 0;
    const late = parts(async () => new Response(String(calls++)), {
      guardUrl: () => guard.promise,
      limits: { ...defaultLimits, requestTimeoutMs: 1 },
    });
    expect(await errorOf(exchange(late, request))).toMatchObject({
      code: 'OIDC_HTTP_TIMEOUT',
      check: 'token',
      expected: 'a response within 1 ms',
    });
    guard.resolve();
    await new Promise(resolve => setImmediate(resolve));
    expect(calls).toBe(0);
  });

  test('leaves no timer, answered or not', async () => {
    vi.useFakeTimers();
    const timersLeft = countTimers('/src/http/http.ts');
    try {
      const during: number[] = [];
      const answered = parts(async () => {
        during.push(timersLeft());
        return new Response('{}');
      });
      await exchange(answered, request);
      await errorOf(
        exchange(
          parts(() => Promise.reject(new Error('x'))),
          request,
        ),
      );
      expect([during, timersLeft()]).toEqual([[1], 0]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('does not follow a redirect that a browser hides', async () => {
    const hidden = Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' });
    expect(
      (
        await errorOf(
          exchange(
            parts(async () => hidden),
            request,
          ),
        )
      ).code,
    ).toBe('OIDC_HTTP_REDIRECT');
  });

  test('joins its chunks in order', async () => {
    const chunks = new ReadableStream({
      start(controller) {
        for (const bytes of [[1, 2], [3], [4, 5, 6]]) controller.enqueue(Uint8Array.from(bytes));
        controller.close();
      },
    });
    expect(await readBody(new Response(chunks), 6, 'x')).toEqual(Uint8Array.from([1, 2, 3, 4, 5, 6]));
  });

  test('is read up to the limit, to the byte', async () => {
    const body = (size: number) => new Response(new Uint8Array(size).fill(7));
    expect(await readBody(body(10), 10, 'x')).toEqual(new Uint8Array(10).fill(7));
    expect(await errorOf(readBody(body(11), 10, 'x'))).toMatchObject({
      code: 'OIDC_HTTP_TOO_LARGE',
      check: 'x',
      expected: 'at most 10 bytes',
    });
    expect(await readBody(new Response(null), 10, 'x')).toEqual(new Uint8Array(0));
    const capped = { ...request, maxBytes: 3 };
    expect(
      (
        await errorOf(
          exchange(
            parts(async () => body(4)),
            capped,
          ),
        )
      ).code,
    ).toBe('OIDC_HTTP_TOO_LARGE');
    expect(
      (
        await exchange(
          parts(async () => body(3)),
          capped,
        )
      ).body,
    ).toHaveLength(3);
  });

  test.each([
    ['application/json', true],
    ['application/jwk-set+json', true],
    ['application/a.b-c9+json', true],
    ['xapplication/json', false],
    ['application/jsonx', false],
    ['application/+json', false],
    ['text/json', false],
  ])('checks whether the media type %s is JSON: %s', async (contentType, isJson) => {
    const answer = { status: 200, contentType, headers: new Headers(), body: Buffer.from('{"a":1}') };
    const read = settled(() => readJsonAnswer(answer, 'jwks'));
    if (isJson) expect(await read).toEqual({ a: 1 });
    else
      expect(await errorOf(read)).toMatchObject({
        code: 'OIDC_HTTP_CONTENT_TYPE',
        check: 'jwks',
        expected: 'application/json',
        received: contentType,
      });
  });

  test('names the expected statuses when refusing another', async () => {
    const answer = { status: 418, contentType: '', headers: new Headers(), body: new Uint8Array() };
    requireStatus(answer, [418], 'x');
    expect(await errorOf(settled(() => requireStatus(answer, [200, 201], 'x')))).toMatchObject({
      code: 'OIDC_HTTP_STATUS',
      expected: '200 or 201',
      received: '418',
    });
  });

  const date = 'Sat, 28 Nov 2026 12:00:00 GMT';
  test.each([
    [429, { 'retry-after': '17' }, 17],
    [503, { 'retry-after': '17' }, 17],
    [503, { 'retry-after': '0' }, 1],
    [503, { 'retry-after': '86400' }, 3_600],
    [503, { 'retry-after': 'Sat, 28 Nov 2026 12:02:00 GMT', date }, 120],
    [503, { 'retry-after': 'Sat, 28 Nov 2026 11:00:00 GMT', date }, 1],
    [503, { 'retry-after': 'Sat, 28 Nov 2026 12:02:00 GMT' }, undefined],
    [503, { 'retry-after': 'soon', date }, undefined],
    [503, {}, undefined],
    [500, { 'retry-after': '17' }, undefined],
    [404, { 'retry-after': '17' }, undefined],
  ])('a %s with %j is to be asked again after %s seconds', async (status, headers, seconds) => {
    const refused = await exchange(
      parts(async () => new Response('', { status, headers: headers as Record<string, string> })),
      request,
    );
    const error = await errorOf(settled(() => requireStatus(refused, [200], 'x')));
    expect(error).toMatchObject({ code: 'OIDC_HTTP_STATUS', retryAfterSeconds: seconds });
  });
});

test('uses the given clock, or the system clock', () => {
  const before = Date.now();
  const now = readEnvironment({}).now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
  expect(readEnvironment({ now: () => new Date(5_000) }).now()).toBe(5_000);
});

describe('an endpoint address', () => {
  test.each([
    ...['[::1]', 'localhost', '127.0.0.1', '127.10.20.30', '127.255.255.255'].map(host => [host, true] as const),
    ...['[::2]', 'localhost.evil.example', '127.0.0.1.evil.example', 'x127.0.0.1', '127.0.0', '127.0.0.1x', ''].map(
      host => [host, false] as const,
    ),
  ])('on %j is loopback: %s', (host, is) => expect(isLoopback(host)).toBe(is));

  test.each([
    ['ftp://127.0.0.1/', 'an https URL'],
    ['http://op.example/', 'an https URL'],
    ['https://user@op.example/', 'a URL without a user name'],
    ['https://:word@op.example/', 'a URL without a user name'],
    ['https://op.example/#', 'a URL without a fragment'],
    ['/token', 'an absolute https URL'],
    [7, 'an absolute https URL'],
  ])('refuses %j', async (value, expected) => {
    const read = settled(() => readEndpointUrl(value, 'x', { dangerouslyAllowLoopbackHttp: true }));
    expect(await errorOf(read)).toMatchObject({ code: 'OIDC_HTTP_URL_REFUSED', check: 'x', expected });
  });
});
