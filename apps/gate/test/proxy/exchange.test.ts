import { once } from 'node:events';
import { type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { serve, type TestServer } from '../support/servers.ts';

// One request on its way to the application and back: what arrives, in which order, and who hears when a client leaves.

const everyOctet = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
let application: TestServer;
let gate: TestGate;
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};

beforeAll(async () => {
  application = await serve((request, response) => answer(request, response));
  gate = await startGate({
    upstream: application.origin,
    rules: [{ paths: ['/**'], allow: 'anyone' }],
    timeouts: { connect: '10s', response: '10m', idle: '10m' },
  });
});

afterAll(async () => {
  for (const one of [gate, application]) await one?.[Symbol.asyncDispose]();
});

async function bytesOf(path: string, init?: RequestInit): Promise<Buffer> {
  return Buffer.from(await (await gate.fetch(path, init)).arrayBuffer());
}

describe('an answer', () => {
  test.each([1, 64, 65, 4096])('with %i times all 256 bytes arrives unchanged', async times => {
    const body = Buffer.concat(Array.from({ length: times }, () => everyOctet));
    answer = (_request, response) => response.end(body);
    expect((await bytesOf('/x')).equals(body)).toBe(true);
  });

  test('in chunks arrives whole', async () => {
    answer = (_request, response) => {
      for (let at = 0; at < 20; at += 1) response.write(everyOctet);
      response.end('the end');
    };
    expect(await bytesOf('/x')).toEqual(Buffer.concat([...Array.from({ length: 20 }, () => everyOctet), Buffer.from('the end')]));
  });

  test('to HEAD, or without content, keeps its headers', async () => {
    answer = (_request, response) => response.writeHead(200, { 'content-length': 1234 }).end();
    const head = await gate.fetch('/x', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '1234', '']);
    answer = (_request, response) => response.writeHead(204, 'Nothing There', { 'x-here': 'yes' }).end();
    const none = await gate.fetch('/x');
    expect([none.status, none.statusText, none.headers.get('x-here')]).toEqual([204, 'Nothing There', 'yes']);
  });

  test('sends its headers before the first byte', async () => {
    let finish = () => {};
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      finish = () => response.end('data: late\n\n');
    };
    const found = await gate.fetch('/x');
    expect(found.headers.get('content-type')).toBe('text/event-stream');
    finish();
    expect(await found.text()).toBe('data: late\n\n');
  });

  test('passes early hints on', async () => {
    answer = (_request, response) => response.writeEarlyHints({ link: '</a.css>; rel=preload' }, () => response.end('done'));
    const request = openRequest(`${gate.origin}/x`).end();
    const [[hints], [found]] = await Promise.all([once(request, 'information'), once(request, 'response')]);
    expect([hints.statusCode, hints.headers.link]).toEqual([103, '</a.css>; rel=preload']);
    found.resume();
  });

  test.each([
    [
      'two in one line',
      ['</a.css>; rel=preload; as=style, </b.js>; rel=preload; as=script'],
      '</a.css>; rel=preload; as=style, </b.js>; rel=preload; as=script',
    ],
    ['commas inside', ['</a,b.css>; rel="preload",</c.js>; rel=preload'], '</a,b.css>; rel="preload", </c.js>; rel=preload'],
    ['one that Node does not write', ['</a.css>; title="one, two"', '</c.js>; rel=preload'], '</c.js>; rel=preload'],
    ['one that is invalid', ['nothing of that kind'], undefined],
  ])('handles early hints with %s', async (_name, links, expected) => {
    answer = (_request, response) => {
      const lines = links.map(link => `Link: ${link}\r\n`).join('');
      response.socket?.write(`HTTP/1.1 103 Early Hints\r\n${lines}\r\n`, () => response.end('done'));
    };
    const request = openRequest(`${gate.origin}/x`).end();
    const hinted = new Promise<string | undefined>(resolve => {
      request.once('information', ({ headers }) => resolve(headers.link as string));
      request.once('response', () => resolve(undefined));
    });
    const [found] = (await once(request, 'response')) as [IncomingMessage];
    expect(found.statusCode).toBe(200);
    expect(await text(found)).toBe('done');
    expect(await hinted).toBe(expected);
  });

  test('keeps several cookies and the case of header names', async () => {
    answer = (_request, response) => response.writeHead(200, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-OddLy', 'x']).end();
    const request = openRequest(`${gate.origin}/x`).end();
    const [found] = (await once(request, 'response')) as [IncomingMessage];
    expect(found.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(found.rawHeaders).toContain('X-OddLy');
    found.resume();
  });
});

describe('an upload', () => {
  test.each(['POST', 'PUT', 'DELETE', 'GET', 'PROPFIND'])('by %s arrives unchanged', async method => {
    answer = (request, response) => request.pipe(response);
    // fetch sends no body with GET; node:http does.
    const request = openRequest(`${gate.origin}/x`, { method, headers: { 'content-length': 256 } });
    request.end(everyOctet);
    const [found] = (await once(request, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of found) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks)).toEqual(everyOctet);
  });

  test('that stalls ends with 504, and the next request works', async () => {
    answer = (request, response) => {
      if (request.method === 'GET') response.end('next');
      else request.resume();
    };
    // Nothing else may depend on a second: a loaded machine takes longer between two octets.
    await using impatient = await startGate({
      upstream: application.origin,
      rules: [{ paths: ['/**'], allow: 'anyone' }],
      timeouts: { connect: '10s', response: '10m', idle: '1s' },
    });
    const stalled = openRequest(`${impatient.origin}/x`, { method: 'POST', headers: { 'content-length': 100 } });
    stalled.on('error', () => {});
    stalled.write('half');
    const [found] = (await once(stalled, 'response')) as [IncomingMessage];
    expect(found.statusCode).toBe(504);
    stalled.destroy();
    expect(await (await impatient.fetch('/x')).text()).toBe('next');
  });

  test('is cut off at the application when the sender leaves', async () => {
    const left = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    answer = request => {
      request.once('data', () => begun.resolve());
      request.once('error', () => left.resolve());
    };
    const { hostname, port } = new URL(gate.origin);
    const socket = connect(Number(port), hostname);
    socket.write('POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    await begun.promise;
    socket.destroy();
    await left.promise;
  });

  test('gets an early answer', async () => {
    answer = (_request, response) => response.writeHead(413, { connection: 'close' }).end('too much');
    const request = openRequest(`${gate.origin}/x`, { method: 'POST', headers: { 'content-length': 1_000_000 } });
    request.on('error', () => {});
    request.write('a beginning');
    const [found] = (await once(request, 'response')) as [IncomingMessage];
    expect(found.statusCode).toBe(413);
    request.destroy();
  });
});

test('tells the application when the reader leaves before the answer', async () => {
  const left = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  answer = (request, _response) => {
    request.socket.once('close', () => left.resolve());
    begun.resolve();
  };
  const stop = new AbortController();
  const asked = gate.fetch('/x', { signal: stop.signal }).catch(() => 'left');
  await begun.promise;
  stop.abort();
  expect(await asked).toBe('left');
  await left.promise;
});
