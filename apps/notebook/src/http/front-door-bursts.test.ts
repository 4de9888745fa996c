import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { prepareHead } from './answers/ready-answer.ts';
import { answerHalfClosed } from './connections/half-closed.ts';
import { openFrontDoor, type QuickRoute, type Ready } from './front-door.ts';
import { Pressure } from './load/pressure.ts';

const ready: Ready = { status: 200, head: prepareHead(200, { 'content-length': 5 }), body: Buffer.from('quick') };
const pressure = new Pressure();
const views = Array.from({ length: 160 }, () => '/n/a');

let app: FastifyInstance;
/** The turn of the event loop, counted from the start of the test. */
let turn: number;
/** In which turn each view began, and whether it may share what was read in that turn. */
let begun: number[];
let shares: boolean[];
let urls: string[];
/** The address of the next connection. */
let nextAddress: () => string | undefined;
let onBegin: () => void;
let healthWorks: boolean;
let counter: NodeJS.Immediate;
let accepted: net.Socket[];
let clients: net.Socket[];

beforeEach(async () => {
  [turn, begun, accepted, clients, onBegin, healthWorks] = [0, [], [], [], () => {}, false];
  [shares, urls, nextAddress] = [[], [], () => undefined];
  app = Fastify({ logger: { level: 'error' }, http: { requireHostHeader: false } });
  const work = () => {
    begun.push(turn);
    onBegin();
    for (const until = performance.now() + 2; performance.now() < until; );
  };
  const find: QuickRoute['find'] = (url, _, shared) => {
    urls.push(url);
    shares.push(shared);
    work();
    return ready;
  };
  app.post('/healthz', () => new Promise(() => {}));
  app.get('/healthz', async () => {
    if (healthWorks) work();
    return '';
  });
  const routes = [{ route: '/n/:slug', takes: (url: string) => url.startsWith('/n/'), find }];
  openFrontDoor(app, { pressure, unread: { add: () => {} }, routes, metrics: undefined, pulse: undefined });
  app.server.on('connection', socket => {
    accepted.push(socket);
    const address = nextAddress();
    if (address !== undefined) Object.defineProperty(socket, 'remoteAddress', { value: address });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const count = () => {
    turn += 1;
    counter = setImmediate(count);
  };
  count();
});
afterEach(async () => {
  vi.restoreAllMocks();
  clearImmediate(counter);
  for (const socket of clients) socket.destroy();
  await app.close();
});

/** One request on each of so many open connections; the server's next poll finds all of them. */
async function askTogether(
  paths: readonly string[],
  headers = 'host: x\r\n',
  then = (_: net.Socket): void => {},
): Promise<Promise<unknown>[]> {
  accepted = [];
  const { port } = app.server.address() as AddressInfo;
  clients = paths.map(() => net.connect(port, '127.0.0.1'));
  for (const socket of clients) socket.on('error', () => {});
  await expect.poll(() => accepted.length).toBe(paths.length);
  const answers = clients.map(socket => new Promise(resolve => socket.once('data', resolve)));
  for (const [at, path] of paths.entries()) {
    clients[at]!.write(`${path.startsWith('/') ? `GET ${path}` : path} HTTP/1.1\r\n${headers}\r\n`);
    then(clients[at]!);
  }
  return answers;
}

function mostPerTurn(turns: readonly number[]): number {
  return Math.max(...[...Map.groupBy(turns, one => one).values()].map(({ length }) => length));
}

it('requests that are read in one turn begin over several, those of supervisors at once', async () => {
  let health: number | undefined;
  app.server.on('request', ({ url }, response) => {
    if (url === '/healthz') response.once('close', () => (health = turn));
  });
  await Promise.all(await askTogether([...views, '/healthz']));
  // 64 before the clock is looked at, then 8 ms of them, and one ahead.
  expect(mostPerTurn(begun)).toBeLessThanOrEqual(64 + 5 + 1);
  expect(begun).toHaveLength(views.length);
  expect(health).toBeLessThan(begun.at(-1)!);
});

it('the first view of each client in a turn goes ahead of what waits, for 32 of them, in each burst', async () => {
  // 160 of one client, then two each of 40 others.
  const others = Array.from({ length: 80 }, (_, at) => `/n/${at}`);
  for (let burst = 1; burst <= 2; burst += 1) {
    let count = 0;
    nextAddress = () => (count++ < 160 ? '192.0.2.1' : `198.51.100.${Math.floor((count - 161) / 2)}`);
    [urls, begun] = [[], []];
    await Promise.all(await askTogether([...views, ...others]));
    expect(new Set(urls).size).toBe(81);
    const sameTurn = urls.filter((url, at) => url !== '/n/a' && begun[at] === begun[0]);
    expect(sameTurn).toEqual(Array.from({ length: 31 }, (_, at) => `/n/${2 * at}`));
    for (const socket of clients) socket.destroy();
    await expect.poll(() => accepted.every(({ closed }) => closed)).toBe(true);
  }
});

it('supervisors’ requests do too when one client sends many', async () => {
  healthWorks = true;
  await Promise.all(await askTogether(Array.from({ length: 160 }, () => '/healthz')));
  expect(begun).toHaveLength(160);
  expect(mostPerTurn(begun)).toBeLessThanOrEqual(1 + 64 + 5);
});

it('a request that only has a supervisor’s address, and may be held, takes no supervisor’s place', async () => {
  await Promise.all((await askTogether([...views, 'POST /healthz'])).slice(0, -1));
  const held = clients.pop()!;
  let health: number | undefined;
  app.server.on('request', ({ method, url }, response) => {
    if (method === 'GET' && url === '/healthz') response.once('close', () => (health = turn));
  });
  begun = [];
  await Promise.all(await askTogether([...views, '/healthz']));
  held.destroy();
  expect(health).toBeLessThanOrEqual(begun[0]! + 3);
});

it('of many who end their side with their requests, those whose turn has not come are not waited on', async () => {
  answerHalfClosed(app.server, 3_600_000);
  await askTogether(views, 'host: x\r\n', socket => socket.end());
  await expect.poll(() => accepted.filter(({ closed }) => !closed)).toEqual([]);
  await expect.poll(() => pressure.requests).toBe(0);
  expect(begun.length).toBeGreaterThan(0);
  expect(begun.length).toBeLessThan(views.length);
});

it.each([
  ['without a host', '', 'writeHead', 'HTTP/1.1 400 '],
  ['that expect what nobody knows', 'host: x\r\nexpect: more\r\n', 'writeHead', 'HTTP/1.1 417 '],
  ['that wait for a 100', 'host: x\r\nexpect: 100-continue\r\n', 'writeContinue', 'HTTP/1.1 100 Continue\r\n'],
] as const)('requests %s are answered over several turns', async (_, headers, method, start) => {
  const answers = await askTogether(views, headers);
  const answeredIn: number[] = [];
  const write = http.ServerResponse.prototype[method];
  vi.spyOn(http.ServerResponse.prototype, method).mockImplementation(function (this: http.ServerResponse, ...given: unknown[]) {
    answeredIn.push(turn);
    return Reflect.apply(write, this, given);
  } as typeof http.ServerResponse.prototype.writeHead & typeof http.ServerResponse.prototype.writeContinue);
  // Each answer costs a millisecond.
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 1));
  for (const answer of await Promise.all(answers)) expect(String(answer).slice(0, start.length)).toBe(start);
  expect(answeredIn).toHaveLength(views.length);
  expect(mostPerTurn(answeredIn)).toBeLessThanOrEqual(64 + 9);
});

it('answers of one turn are sent at its end', async () => {
  const answers = await askTogether(['/n/a', '/n/b', '/n/c']);
  const ended: number[] = [];
  const { end } = http.ServerResponse.prototype;
  vi.spyOn(http.ServerResponse.prototype, 'end').mockImplementation(function (this: http.ServerResponse, ...given: unknown[]) {
    ended.push(begun.length);
    return Reflect.apply(end, this, given);
  } as typeof end);
  for (const answer of await Promise.all(answers)) expect(String(answer)).toMatch(/^HTTP\/1.1 200 OK\r\n(?:.*\r\n)+\r\nquick$/);
  expect(ended).toEqual([3, 3, 3]);
});

it('a request whose client leaves before its turn does not begin', async () => {
  onBegin = () => {
    for (const socket of clients) socket.destroy();
  };
  await askTogether(views);
  await expect.poll(() => begun.length).toBeGreaterThan(0);
  onBegin = () => {};
  const [answer] = await askTogether(['/n/last']);
  await answer;
  expect(begun.length - 1).toBeLessThan(views.length);
  expect(pressure.requests).toBe(0);
});

it('a request that waited may begin after this turn’s events were read, and shares nothing with those of the next', async () => {
  await Promise.all(await askTogether(views));
  const waited = shares.slice(begun.filter(one => one === begun[0]).length);
  expect(waited.length).toBeGreaterThan(0);
  expect(new Set(waited)).toEqual(new Set([false]));
  expect(shares[0]).toBe(true);
});

it('a household with many addresses of IPv6 waits in one line', async () => {
  let count = 0;
  // Its requests come first, each from an address of its own.
  nextAddress = () => (count++ < 160 ? `2001:db8::${count.toString(16)}` : '192.0.2.1');
  await Promise.all(await askTogether([...views, '/n/other']));
  const before = urls.indexOf('/n/other') - begun.filter(one => one === begun[0]).length;
  expect(before).toBeLessThanOrEqual(1);
});

it('connections that end together end 64 in a turn, and those with requests that wait fewer', async () => {
  await askTogether(views);
  await expect.poll(() => begun.length).toBe(views.length);
  const ended = () => accepted.filter(({ destroyed }) => destroyed).length;
  app.server.closeAllConnections();
  expect(ended()).toBe(64);
  await expect.poll(ended).toBe(views.length);

  // Eleven wait behind the first of each, which is not answered.
  const ahead = 'POST /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\nGET /n/a';
  const more = 'host: x\r\n\r\nGET /n/a HTTP/1.1\r\n'.repeat(10);
  let asked = 0;
  app.server.on('request', () => (asked += 1));
  await askTogether(Array(20).fill(ahead), `${more}host: x\r\n`);
  await expect.poll(() => asked).toBe(240);
  app.server.closeAllConnections();
  expect(ended()).toBe(6);
  await expect.poll(ended).toBe(20);
});

it('warns of no leak when many parts of the service wait for the end of one answer', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  try {
    app.server.on('request', (_, response) => {
      for (let part = 0; part < 15; part += 1) response.once('close', () => {});
    });
    await Promise.all(await askTogether(['/n/a']));
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', note);
  }
});

it('what cannot be read is not copied into the error', async () => {
  const errors: (NodeJS.ErrnoException & { rawPacket?: Buffer })[] = [];
  app.server.on('clientError', error => errors.push(error));
  const client = net.connect((app.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  clients.push(client);
  client.write(`GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(17_000)}\r\n\r\n`);
  await expect.poll(() => errors.map(({ code }) => code)).toEqual(['HPE_HEADER_OVERFLOW']);
  expect(errors[0]!.rawPacket).toBeUndefined();
});

it('what follows the head of an upgrade reaches the listener', async () => {
  const heads: string[] = [];
  app.server.on('upgrade', (_request, socket, head: Buffer) => {
    heads.push(head.toString());
    socket.destroy();
  });
  const client = net.connect((app.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  clients.push(client);
  client.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\nfirst');
  await expect.poll(() => heads).toEqual(['first']);
});
