import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { prepareHead } from './answers/ready-answer.ts';
import { openFrontDoor, type QuickRoute, type Ready } from './front-door.ts';
import { Pressure } from './load/pressure.ts';

const ready: Ready = {
  status: 200,
  head: prepareHead(200, { 'content-type': 'text/plain', 'content-length': 5, 'x-note': 'a: b' }),
  body: Buffer.from('quick'),
};

let app: FastifyInstance;
let port: number;
let find: QuickRoute['find'];
let stopping: PromiseWithResolvers<void>;
let asked: { url: string; shared: boolean }[];
let told: unknown[][];
let lines: Record<string, unknown>[];
let unread: unknown[][];
const pressure = new Pressure();
const agent = new http.Agent({ keepAlive: true });

async function open({ level = 'info', counts = true } = {}) {
  [asked, told, lines, unread] = [[], [], [], []];
  find = () => ready;
  app = Fastify({
    logger: { level, stream: { write: line => void lines.push(JSON.parse(line)) } },
    logController: new LogController({ disableRequestLogging: true }),
  });
  for (const url of ['/n/:slug', '/other']) app.all(url, async () => 'framework');
  openFrontDoor(app, {
    pressure,
    unread: { add: (...what) => void unread.push(what) },
    routes: [
      { route: '/never', takes: () => false, find: () => ready },
      {
        route: '/n/:slug',
        takes: url => url.startsWith('/n/'),
        find: (url, headers, shared, client) => {
          asked.push({ url, shared });
          return find(url, headers, shared, client);
        },
      },
    ],
    metrics: counts ? ({ count: (...what: unknown[]) => told.push(['count', ...what]) } as never) : undefined,
    pulse: counts
      ? { begin: name => told.push(['begin', name, pressure.requests]), end: name => told.push(['end', name, pressure.requests]) }
      : undefined,
  });
  stopping = Promise.withResolvers();
  app.addHook('preClose', async () => stopping.resolve());
  app.server.keepAliveTimeout = 5_900;
  await app.listen({ port: 0, host: '127.0.0.1' });
  lines.length = 0;
  port = (app.server.address() as AddressInfo).port;
}
beforeEach(() => open());
afterEach(() => app.close());

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}
const ask = (url: string, options: http.RequestOptions = {}) =>
  new Promise<Answer>((resolve, reject) => {
    const request = http.request({ port, host: '127.0.0.1', path: url, agent, ...options }, answer => {
      let body = '';
      answer
        .on('data', part => (body += part))
        .once('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, body }));
    });
    request.once('error', reject).end();
  });
/** Sends these bytes and returns everything that arrives until the connection closes. */
const send = (bytes: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket
      .on('data', part => (text += part))
      .once('close', () => resolve(text))
      .once('error', reject);
  });

describe('an answer that lies ready', () => {
  it('is sent with its own head, on a connection that stays', async () => {
    const answer = await ask('/n/a');
    expect([answer.status, answer.body]).toEqual([200, 'quick']);
    expect(answer.headers).toEqual({
      'content-type': 'text/plain',
      'content-length': '5',
      'x-note': 'a: b',
      date: new Date(Date.parse(answer.headers.date!)).toUTCString(),
      connection: 'keep-alive',
      'keep-alive': 'timeout=5',
    });
    expect(Math.abs(Date.parse(answer.headers.date!) - Date.now())).toBeLessThan(60_000);
    app.server.keepAliveTimeout = 0;
    expect((await ask('/n/a')).headers).not.toHaveProperty('keep-alive');
  });

  it('is told to the watchdog, the metrics and the log, and counts while it is answered', async () => {
    await ask('/n/my-notes?x=1');
    await expect.poll(() => lines.length).toBe(1);
    expect(told).toEqual([
      ['begin', 'GET /n/:slug', 1],
      ['end', 'GET /n/:slug', 0],
      ['count', 'GET', '/n/:slug', 200, expect.any(Number)],
    ]);
    const [elapsed] = told[2]!.slice(4) as [number];
    expect(elapsed).toBeGreaterThanOrEqual(0);
    expect(elapsed).toBeLessThan(60_000);
    expect(lines[0]).toMatchObject({
      msg: 'request',
      method: 'GET',
      path: '/n/[slug]',
      status: 200,
      ms: Math.round(elapsed * 10) / 10,
    });
    expect(lines[0]!.reqId).toMatch(/^req-/);
  });

  it('is told to who counts what is not read yet', async () => {
    await ask('/n/a');
    expect(unread).toEqual([['127.0.0.1', expect.any(http.ServerResponse), ready.body]]);
    find = () => ({ status: 304, head: prepareHead(304, { etag: '"a"' }) });
    await ask('/n/a');
    expect(unread).toHaveLength(1);
  });

  it('without a body says what the client has', async () => {
    find = () => ({ status: 304, head: prepareHead(304, { etag: '"a"' }) });
    const answer = await ask('/n/a');
    expect([answer.status, answer.headers.etag, answer.body, answer.headers['transfer-encoding']]).toEqual([
      304,
      '"a"',
      '',
      undefined,
    ]);
    expect((await ask('/n/a')).status).toBe(304);
    expect(told.filter(([what]) => what === 'count').map(([, , , status]) => status)).toContain(304);
  });

  it('is sent in node’s own way to a client that closes, with the same headers', async () => {
    for (const first of ['GET /n/a HTTP/1.1\r\nhost: x\r\nconnection: close', 'GET /n/a HTTP/1.0']) {
      const [head = '', body] = (await send(`${first}\r\n\r\n`)).split('\r\n\r\n');
      expect(body).toBe('quick');
      const [status, ...headers] = head.split('\r\n');
      expect(status).toBe('HTTP/1.1 200 OK');
      expect(headers).toEqual(
        expect.arrayContaining(['content-type: text/plain', 'content-length: 5', 'x-note: a: b', 'Connection: close']),
      );
    }
    // A client that keeps its connection the HTTP/1.0 way is answered in Node's own way.
    expect(await send('GET /n/a HTTP/1.0\r\nconnection: keep-alive\r\n\r\nGET /n/a HTTP/1.0\r\n\r\n')).toMatch(
      /quick[\s\S]*quick$/,
    );
  });

  it('may take a moment, in which its request counts', async () => {
    let counted = 0;
    find = async () => {
      await undefined;
      counted = pressure.requests;
      return ready;
    };
    expect((await ask('/n/a')).body).toBe('quick');
    expect(counted).toBe(1);
    await expect.poll(() => pressure.requests).toBe(0);
  });

  it('is sent where nobody counts or logs', async () => {
    await app.close();
    await open({ level: 'error', counts: false });
    expect((await ask('/n/a')).body).toBe('quick');
    await expect.poll(() => pressure.requests).toBe(0);
    expect([lines, told]).toEqual([[], []]);
    await app.close();
    await open({ level: 'info', counts: false });
    await ask('/n/a');
    await expect.poll(() => lines.length).toBe(1);
    await app.close();
    await open({ level: 'error' });
    await ask('/n/a');
    await expect.poll(() => told.length).toBe(3);
    expect(lines).toEqual([]);
  });
});

describe('an address with a scheme and a host, as it is sent to a proxy', () => {
  it.each([
    ['http://x/n/my-notes', '/n/my-notes', '/n/[slug]'],
    ['HTTPS://me@x:80/n/my-notes?x=1', '/n/my-notes?x=1', '/n/[slug]'],
    ['ftp://x/n/my-notes', '/n/my-notes', '/n/[slug]'],
  ])('%s is its path, in the log as well', async (url, path, logged) => {
    expect(await send(`GET ${url} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)).toMatch(/quick$/);
    expect(asked.map(({ url }) => url)).toEqual([path]);
    await expect.poll(() => lines.map(({ path }) => path)).toEqual([logged]);
  });

  it.each([
    ['http://x', '/'],
    ['http://x?a=1', '/?a=1'],
    ['http://x/api//y', '/api//y'],
    ['*', '*'],
  ])('the framework gets that of %s, too', async (url, path) => {
    const seen: (string | undefined)[] = [];
    app.server.on('request', request => seen.push(request.url));
    await send(`OPTIONS ${url} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(seen).toEqual([path]);
  });
});

it('counts a request that waits for the database as its client’s, and says whose it is', async () => {
  const counted = [vi.spyOn(pressure, 'begin'), vi.spyOn(pressure, 'end')];
  const names: string[] = [];
  find = async (_url, _headers, _shared, client) => {
    names.push(client());
    return ready;
  };
  await ask('/n/a');
  expect([names, ...counted.map(spy => spy.mock.calls)]).toEqual([['127.0.0.1'], [['127.0.0.1']], [['127.0.0.1']]]);
});

describe('requests that are sent without waiting for answers', () => {
  const get = (url: string, more = '') => `GET ${url} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;

  it('begin one after the other, and are answered in their order', async () => {
    const begun: (() => void)[] = [];
    find = () => new Promise(resolve => begun.push(() => resolve(ready)));
    const answers = send(get('/n/1') + get('/n/2') + get('/other') + get('/n/3', 'connection: close\r\n'));
    for (const count of [1, 2, 3]) {
      await expect.poll(() => begun.length).toBe(count);
      await new Promise(resolve => setTimeout(resolve, 20));
      expect([asked.length, pressure.requests]).toEqual([count, 1]);
      begun.at(-1)!();
    }
    expect((await answers).match(/quick|framework/g)).toEqual(['quick', 'quick', 'framework', 'quick']);
  });

  it('end their connection when more than 16 wait, and count no longer', async () => {
    let go = () => {};
    let begun = 0;
    find = () => {
      begun += 1;
      return new Promise(resolve => (go = () => resolve(ready)));
    };
    await send(get('/n/a').repeat(18));
    expect(begun).toBe(1);
    go();
    find = () => new Promise(resolve => (go = () => resolve(ready)));
    const enough = send(get('/n/a').repeat(16) + get('/n/a', 'connection: close\r\n'));
    for (let count = 1; count <= 17; count++) {
      await expect.poll(() => asked.length).toBe(count + 1);
      go();
    }
    expect((await enough).match(/quick/g)).toHaveLength(17);
  });

  it('are not read further when their connection was ended', async () => {
    let read = 0;
    app.server.on('request', () => (read += 1));
    let go = () => {};
    find = () => new Promise(resolve => (go = () => resolve(ready)));
    await send(get('/n/a').repeat(2_000));
    expect(read).toBe(18);
    go();
    // The next connection gets the same parser.
    find = () => ready;
    expect(await send(get('/n/a') + get('/n/a', 'connection: close\r\n'))).toMatch(/quick[\s\S]*quick$/);
    expect(read).toBe(20);
  });

  it('never begin when their connection ends before', async () => {
    let go = () => {};
    find = () => new Promise(resolve => (go = () => resolve(ready)));
    const socket = net.connect(port, '127.0.0.1', () => socket.write(get('/n/1') + get('/n/2')));
    await expect.poll(() => asked.length).toBe(1);
    socket.destroy();
    await new Promise(resolve => setTimeout(resolve, 50));
    go();
    await expect.poll(() => pressure.requests).toBe(0);
    expect(asked.length).toBe(1);
  });
});

it('a client that left before its answer was found is not counted as under way', async () => {
  let go = () => {};
  find = () => new Promise(resolve => (go = () => resolve(ready)));
  const socket = net.connect(port, '127.0.0.1', () => socket.write('GET /n/a HTTP/1.1\r\nhost: x\r\n\r\n'));
  const atServer = new Promise<net.Socket>(resolve => app.server.once('connection', resolve));
  await expect.poll(() => asked.length).toBe(1);
  socket.destroy();
  const connection = await atServer;
  await expect.poll(() => connection.closed).toBe(true);
  go();
  await new Promise(resolve => setImmediate(resolve));
  expect([pressure.requests, told, unread]).toEqual([0, [], []]);
});

describe('the framework answers', () => {
  it.each<[string, http.RequestOptions]>([
    ['another method', { method: 'POST' }],
    ['HEAD', { method: 'HEAD' }],
    ['a proof', { headers: { 'x-edit-token': 'x' } }],
    ['a body', { headers: { 'content-length': '0' } }],
    ['an expectation', { headers: { expect: '100-continue' } }],
    ['our cookie', { headers: { cookie: 'theme=dark; nb_unlock_a=b' } }],
    ['a body of unknown length', { headers: { 'transfer-encoding': 'chunked' } }],
  ])('what brings %s', async (_, options) => {
    expect((await ask('/n/a', options)).body).toBe(options.method === 'HEAD' ? '' : 'framework');
    expect(asked).toEqual([]);
  });

  it('every other address', async () => {
    expect((await ask('/other')).body).toBe('framework');
    expect(told).toEqual([]);
  });

  it('not what brings another cookie', async () => {
    expect((await ask('/n/a', { headers: { cookie: 'theme=dark' } })).body).toBe('quick');
  });

  it('what is not at hand, at once or later, and what failed', async () => {
    for (const answer of [() => undefined, async () => undefined, () => Promise.reject(new Error('no database'))]) {
      find = answer;
      expect((await ask('/n/a')).body).toBe('framework');
    }
    expect([pressure.requests, told]).toEqual([0, []]);
  });

  it('the first request that a proxy forwards, and no other of its', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    expect((await ask('/n/a', { headers })).body).toBe('framework');
    expect((await ask('/n/a', { headers })).body).toBe('quick');
    expect((await ask('/n/a', { headers, localAddress: '127.0.0.9', agent: new http.Agent() })).body).toBe('framework');
    expect((await ask('/n/a')).body).toBe('quick');
  });

  it('everything once the service stops', async () => {
    let go = () => {};
    find = () => new Promise(resolve => (go = () => resolve(ready)));
    const waiting = ask('/n/slow');
    await expect.poll(() => asked.length).toBe(1);
    const closed = app.close();
    await stopping.promise;
    go();
    expect((await waiting).body).not.toBe('quick');
    await closed;
  });
});

it('what was read in this turn of the event loop is for requests that surely came in it', async () => {
  const get = (url: string, more = '') => `GET ${url} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  find = () => new Promise(resolve => setImmediate(resolve, ready));
  await send(get('/n/1') + get('/n/2') + get('/n/3', 'connection: close\r\n'));
  expect(asked.map(({ url, shared }) => [url, shared])).toEqual([
    ['/n/1', true],
    ['/n/2', false],
    ['/n/3', false],
  ]);
  asked.length = 0;
  await send(get('/n/4', 'connection: close\r\n'));
  expect(asked).toMatchObject([{ url: '/n/4', shared: true }]);
});

it('past 512 connections, which may not all be read in one turn, no request shares what was read for another', async () => {
  /** The server's end of a connection, once it has accepted it: one at a time, so that none waits for another. */
  const accepted = async (connect: () => unknown) => {
    const arrived = once(app.server, 'connection') as Promise<[net.Socket]>;
    connect();
    return (await arrived)[0];
  };
  const closing = (socket: net.Socket) => socket.closed || new Promise(resolve => socket.once('close', resolve));
  const shared = async () => {
    asked.length = 0;
    let answered: Promise<unknown> | undefined;
    const atServer = await accepted(() => {
      answered = send('GET /n/a HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    });
    await answered;
    await closing(atServer);
    return asked.map(({ shared }) => shared);
  };
  const idle: net.Socket[] = [];
  const atServer: net.Socket[] = [];
  const openIdle = async () => atServer.push(await accepted(() => idle.push(net.connect(port, '127.0.0.1'))));
  while (idle.length < 511) await openIdle();
  expect(await shared()).toEqual([true]);
  await openIdle();
  expect(await shared()).toEqual([false]);
  for (const socket of idle) socket.destroy();
  await Promise.all(atServer.map(closing));
  expect(await shared()).toEqual([true]);
});
