import { createHash, randomBytes } from 'node:crypto';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { raw, sendRaw } from '../support/raw-request.ts';
import { freePort } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const rules = [
  { paths: ['/closed/**'], allow: 'signed-in' },
  { paths: ['/**'], allow: 'anyone' },
];
let upstream: Upstream;
let gate: TestGate;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Bytes of buffers that something still uses; how much garbage waits to be collected is V8's business. */
function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

beforeAll(async () => {
  upstream = await startUpstream();
  // Echoes what comes after an upgrade, as a WebSocket server would its frames.
  upstream.server.on('upgrade', (request, socket: Socket) => {
    if (request.url?.startsWith('/no')) {
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno');
      return;
    }
    socket.on('error', () => {});
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Seen: ${request.headers['x-auth-subject'] ?? 'nobody'}\r\n\r\n`,
    );
    socket.pipe(socket);
  });
  gate = await startGate({
    upstream: upstream.origin,
    providers: [corp],
    rules,
    timeouts: { connect: '2s', response: '1s', idle: '30s' },
  });
});

afterAll(async () => {
  for (const one of [gate, upstream]) await one?.[Symbol.asyncDispose]();
});

/** Opens an upgraded connection. @returns the socket and the head of the answer */
function upgrade(path: string, headers: readonly string[] = []): Promise<{ socket: Socket; head: string }> {
  const { hostname, port } = new URL(gate.origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        [`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', ...headers, '', ''].join('\r\n'),
      ),
    );
    socket.once('error', reject);
    socket.once('data', chunk => resolve({ socket, head: chunk.toString() }));
  });
}

describe('the proxy', () => {
  test('streams an upload: forwards its first bytes before the last are sent', async () => {
    let first: () => void = () => {};
    const begun = new Promise<void>(resolve => {
      first = resolve;
    });
    const size = 8 * 1_048_576;
    const block = randomBytes(65_536);
    const hash = createHash('sha256');
    upstream.server.once('request', request => request.once('data', () => first()));
    async function* blocks() {
      for (let sent = 0; sent < size; sent += block.length) {
        // Half is held back until the application has seen the beginning.
        if (sent === size / 2) await begun;
        hash.update(block);
        yield block;
      }
    }
    const answer = await fetch(`${gate.origin}/sha`, {
      method: 'PUT',
      body: Readable.toWeb(Readable.from(blocks())) as ReadableStream,
      duplex: 'half',
    } as RequestInit);
    expect(await answer.json()).toEqual({ size, sha: hash.digest('hex') });
  });

  test('decides about an upload with Expect before its body is sent', async () => {
    const ask = (path: string) =>
      new Promise<string[]>((resolve, reject) => {
        const heard: string[] = [];
        const request = httpRequest(`${gate.origin}${path}`, {
          method: 'PUT',
          headers: { expect: '100-continue', 'content-length': 4 },
        });
        request.on('continue', () => {
          heard.push('continue');
          request.end('body');
        });
        request.on('response', response => {
          heard.push(String(response.statusCode));
          response.resume();
          request.destroy();
          resolve(heard);
        });
        request.on('error', reject);
        request.flushHeaders();
      });
    expect(await ask('/free')).toEqual(['continue', '200']);
    expect(await ask('/closed/x')).toEqual(['401']);
  });

  test('slows the application for a slow reader, without buffering its answer', async () => {
    const size = 96 * 1_048_576;
    const before = heldBytes();
    const serving = new Promise<Socket>(resolve =>
      upstream.server.once('request', ({ socket }: IncomingMessage) => resolve(socket)),
    );
    const answer = await gate.fetch(`/bytes/${size}`);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    // Nobody reads now: the sockets fill up, and the application has to wait.
    const socket = await serving;
    let sent = 0;
    const hasStopped = () => {
      const last = sent;
      sent = socket.bytesWritten;
      return sent === last;
    };
    await expect.poll(hasStopped, { interval: 250 }).toBe(true);
    expect(sent).toBeLessThan(size / 2);
    let got = 0;
    const readUntil = async (bytes: number): Promise<void> => {
      while (got < bytes) {
        const { done, value } = await reader.read();
        if (done) return;
        got += value.length;
      }
    };
    await readUntil(size * 0.9);
    // The gate, its application and its reader are one process here. V8 frees buffers in the background after a collection.
    await expect.poll(() => heldBytes() - before).toBeLessThan(size / 2);
    await readUntil(Number.POSITIVE_INFINITY);
    expect(got).toBeGreaterThan(size - 1_048_576);
  });

  test('forwards events one by one, and tells the application when the reader leaves', async () => {
    const closed = new Promise(resolve =>
      upstream.server.once('request', (_request, response) => response.once('close', resolve)),
    );
    const stop = new AbortController();
    const answer = await gate.fetch('/events', { signal: stop.signal });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: one\n\n');
    stop.abort();
    await reader.closed.catch(() => {});
    await closed;
  });

  test('connects a WebSocket both ways and tells the application who it is', async () => {
    const cookie = await sessionCookie(gate);
    const { socket, head } = await upgrade('/closed/socket', [`Cookie: ${cookie}`]);
    expect(head).toMatch(/^HTTP\/1\.1 101 /);
    expect(head).toContain('X-Seen: ada');
    const echoed = new Promise(resolve => socket.once('data', chunk => resolve(chunk.toString())));
    socket.write('hello');
    expect(await echoed).toBe('hello');
    // Signed out in another tab: the socket is closed, not left to go on.
    const closed = new Promise(resolve => socket.once('close', resolve));
    await gate.fetch('/gate/sign-out', { method: 'POST', headers: { cookie } });
    await closed;
  });

  test('forwards the answer if the application refuses a WebSocket', async () => {
    const { socket, head } = await upgrade('/no/socket');
    expect(head).toMatch(/^HTTP\/1\.1 404 /);
    socket.destroy();
  });

  test('does not forward hop-by-hop headers', async () => {
    const answer = await new Promise<{ headers: Record<string, unknown> }>((resolve, reject) => {
      httpRequest(`${gate.origin}/x`, response => {
        response.resume();
        resolve(response as never);
      })
        .on('error', reject)
        .end();
    });
    expect(answer.headers['x-hop']).toBeUndefined();
    await sendRaw(
      gate.origin,
      raw('GET', '/x', ['TE: trailers', 'Proxy-Authorization: Basic x', 'Keep-Alive: timeout=5', 'Trailer: X-T']),
    );
    const { headers } = upstream.seen.at(-1)!;
    for (const name of ['te', 'proxy-authorization', 'keep-alive', 'trailer']) expect(headers[name]).toBeUndefined();
  });

  test('answers with a page: 504 if the application hangs, 502 if it is down', async () => {
    const slow = await gate.fetch('/hang', { headers: { accept: 'text/html' } });
    expect([slow.status, await slow.text()]).toEqual([504, expect.stringContaining('The application timed out')]);
    await using lonely = await startGate({
      upstream: `http://127.0.0.1:${await freePort()}`,
      rules: [{ paths: ['/**'], allow: 'anyone' }],
    });
    const gone = await lonely.fetch('/x', { headers: { accept: 'text/html' } });
    const text = await gone.text();
    expect([gone.status, text]).toEqual([502, expect.stringContaining('The application is unavailable')]);
    expect(text).toContain('href="/x">Try again</a>');
    // What was sent must not be sent again by a link.
    const posted = await lonely.fetch('/x', { method: 'POST', headers: { accept: 'text/html' } });
    expect([posted.status, await posted.text()]).toEqual([502, expect.not.stringContaining('Try again</a>')]);
  });

  test('cuts the answer if the application does', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('half');
      setImmediate(() => response.destroy());
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    await using half = await startGate({
      upstream: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      rules: [{ paths: ['/**'], allow: 'anyone' }],
    });
    const answer = await half.fetch('/x');
    await expect(answer.text()).rejects.toThrow();
    server.close();
  });

  test('adds no listeners to a reused connection', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    for (let turn = 0; turn < 30; turn += 1) await (await gate.fetch('/x')).text();
    await new Promise(resolve => setImmediate(resolve));
    process.off('warning', note);
    expect(warnings.map(String)).toEqual([]);
  });

  test('hides a restart of the application from the next reader', async () => {
    const port = await freePort();
    const start = () => {
      const server = createServer((_request, response) => response.end('here'));
      return new Promise<typeof server>(resolve => server.listen(port, '127.0.0.1', () => resolve(server)));
    };
    await using gate = await startGate({ upstream: `http://127.0.0.1:${port}`, rules: [{ paths: ['/**'], allow: 'anyone' }] });
    const first = await start();
    expect(await (await gate.fetch('/x')).text()).toBe('here');
    first.closeAllConnections();
    await new Promise(resolve => first.close(resolve));
    const second = await start();
    expect(await (await gate.fetch('/x')).text()).toBe('here');
    second.closeAllConnections();
    await new Promise(resolve => second.close(resolve));
  });

  test('finishes open requests before it stops', async () => {
    const server = createServer((request, response) => {
      response.write('begun ');
      request.socket.once('data', () => {});
      release = () => response.end('done');
    });
    let release = () => {};
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const stopping = await startGate({
      upstream: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      rules: [{ paths: ['/**'], allow: 'anyone' }],
    });
    const answer = await stopping.fetch('/x', { headers: { connection: 'close' } });
    const closed = stopping[Symbol.asyncDispose]();
    await expect(fetch(`${stopping.origin}/y`)).rejects.toThrow();
    release();
    expect(await answer.text()).toBe('begun done');
    await closed;
    server.close();
  });
});
