import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { countTimers } from '../../../../../tools/own-timers.ts';
import type { Refusal } from '../../errors.ts';
import { readMore } from '../bodies/body-turns.ts';
import { takeRawBodies } from '../bodies/raw-body.ts';
import { refusalOf } from '../refusals.ts';
import { BodiesInFlight, BodyInFlight, type InFlightLimits, limitBodies } from './bodies-in-flight.ts';

function bodyOf(client: string): BodyInFlight & { refused: Refusal[] } {
  const refused: Refusal[] = [];
  return Object.assign(new BodyInFlight(client, refusal => refused.push(refusal)), { refused });
}

describe('the bytes in flight', () => {
  it('past the bound cost the greediest client its largest body, not the one that comes', () => {
    const flight = new BodiesInFlight({ maxBytes: 100 });
    const [large, small, other] = [bodyOf('a'), bodyOf('a'), bodyOf('b')];
    flight.add(small, 20);
    flight.add(large, 60);
    flight.add(other, 30);
    expect(large.refused.map(({ code }) => code)).toEqual(['unavailable']);
    expect(large.refused[0]!.extras.retryAfterSeconds).toBeGreaterThan(0);
    expect([...small.refused, ...other.refused]).toEqual([]);
    expect(flight.bytes).toBe(50);
  });

  it('past the bound of one client are refused to that client', () => {
    const flight = new BodiesInFlight({ maxBytes: 100, maxBytesPerClient: 40 });
    const [first, second, other] = [bodyOf('a'), bodyOf('a'), bodyOf('b')];
    flight.add(first, 40);
    flight.add(other, 40);
    flight.add(second, 1);
    expect(second.refused.map(({ code }) => code)).toEqual(['rate_limited']);
    expect([...first.refused, ...other.refused]).toEqual([]);
  });

  it('past the bound cost bodies until the others fit', () => {
    const flight = new BodiesInFlight({ maxBytes: 100 });
    const [first, second, third, other] = [bodyOf('a'), bodyOf('a'), bodyOf('a'), bodyOf('b')];
    for (const body of [first, second, third]) flight.add(body, 30);
    flight.add(other, 60);
    expect([first, second, third, other].map(({ refused }) => refused.length)).toEqual([1, 0, 0, 1]);
    expect(first.refused[0]!.extras.detail).toBe('The service is receiving too much at the same time.');
    expect(flight.bytes).toBe(60);
  });

  it('of bodies that are being used count, and are not what is refused', () => {
    const flight = new BodiesInFlight({ maxBytes: 100 });
    const [used, arriving, other] = [bodyOf('a'), bodyOf('a'), bodyOf('b')];
    flight.add(used, 70);
    used.hasArrived = true;
    flight.add(arriving, 20);
    flight.add(other, 20);
    expect([used, arriving, other].map(({ refused }) => refused.length)).toEqual([0, 1, 0]);
    flight.add(other, 20);
    expect([used, other].map(({ refused }) => refused.length)).toEqual([0, 1]);
    expect(flight.bytes).toBe(70);
  });

  it('at the bound are all let in, and grow with their body', () => {
    const flight = new BodiesInFlight({ maxBytes: 100, maxBytesPerClient: 60 });
    const [one, other] = [bodyOf('a'), bodyOf('b')];
    for (let count = 0; count < 3; count++) flight.add(one, 20);
    flight.add(other, 40);
    expect([one.bytes, one.refused, other.refused, flight.bytes]).toEqual([60, [], [], 100]);
    flight.add(one, 1);
    expect(one.refused.map(({ code, extras }) => [code, extras])).toEqual([
      ['rate_limited', { retryAfterSeconds: 2, detail: 'You are sending too much at the same time.' }],
    ]);
    expect(flight.bytes).toBe(40);
  });

  it('are given back once, when the answer is sent', () => {
    const flight = new BodiesInFlight({ maxBytes: 100, maxBytesPerClient: 40 });
    const body = bodyOf('a');
    flight.add(body, 40);
    flight.close(body);
    flight.close(body);
    expect(flight.bytes).toBe(0);
    const next = bodyOf('a');
    flight.add(next, 40);
    expect(next.refused).toEqual([]);
  });
});

describe('a body on its way', () => {
  let app: FastifyInstance | undefined;
  afterEach(() => app?.close());

  function open(bounds: Partial<InFlightLimits> = {}, bodyLimit = 200_000) {
    app = Fastify({ bodyLimit });
    const flight = limitBodies(app, { maxBytes: 150_000, stallMillis: 20_000, ...bounds });
    const cutOff: (boolean | undefined)[] = [];
    app.setErrorHandler((error, request, reply) => {
      const refusal = refusalOf(error as Parameters<typeof refusalOf>[0]);
      cutOff.push(request.bodyCutOff);
      reply.code(refusal?.status ?? 500).send({ code: refusal?.code, detail: refusal?.extras.detail });
    });
    takeRawBodies(app, bodyLimit);
    // As Node says of a body that came with its head; `inject` never does.
    app.addHook('onRequest', async ({ raw, headers }) => {
      if (headers['x-came'] === 'with its head') Object.assign(raw, { complete: true });
    });
    app.post('/', async request => ({ received: (request.body as Buffer).length, inFlight: flight.bytes }));
    app.post('/unread', async (request, reply) => {
      const received = (request.body as Buffer).length;
      const answer = Readable.from(
        (async function* () {
          yield JSON.stringify({ received, inFlight: flight.bytes, body: request.body });
        })(),
      );
      return reply.type('application/json').send(answer);
    });
    const send = async (payload: Readable | Buffer, length?: number) => {
      const headers = length === undefined ? { 'x-came': 'with its head' } : { 'content-length': String(length) };
      const answer = await app!.inject({ method: 'POST', url: '/', payload, headers });
      return answer.json();
    };
    return { flight, send, cutOff };
  }

  it.each([1, 65_536, 65_537, 150_000])('of %i bytes counts until its answer', async length => {
    const { flight, send } = open();
    expect(await send(Buffer.alloc(length))).toEqual({ received: length, inFlight: length });
    await expect.poll(() => flight.bytes).toBe(0);
  });

  it.each([100, 70_000])('of %i bytes is let go of before its answer is read', async length => {
    open();
    const answer = await app!.inject({ method: 'POST', url: '/unread', payload: Buffer.alloc(length) });
    expect(answer.json()).toEqual({ received: length, inFlight: 0 });
  });

  it('is refused to a client that has too much on its way, small or large', async () => {
    const { flight, send, cutOff } = open({ maxBytesPerClient: 1_000 });
    const refused = { code: 'rate_limited', detail: 'You are sending too much at the same time.' };
    expect(await send(Buffer.alloc(1_001))).toEqual(refused);
    expect(await send(Readable.from([Buffer.alloc(40_000), Buffer.alloc(40_000)]), 80_000)).toEqual(refused);
    expect(await send(Readable.from([Buffer.alloc(600), Buffer.alloc(600)]), 1_200)).toEqual(refused);
    expect(cutOff).toEqual([undefined, true, true]);
    expect(flight.bytes).toBe(0);
  });

  it('that stops arriving is given up, and its bytes are free', async () => {
    const { flight, send, cutOff } = open({ stallMillis: 15 });
    const payload = new PassThrough();
    payload.write(Buffer.alloc(10_000));
    expect(await send(payload, 70_000)).toEqual({ code: 'bad_request', detail: 'The body stopped arriving.' });
    expect(cutOff).toEqual([true]);
    await expect.poll(() => flight.bytes).toBe(0);
  });

  it('that we hold up ourselves is not given up for that', async () => {
    const { flight, send } = open({ stallMillis: 100 });
    let isHeldUp = false;
    // Leaves nothing of any turn, until the body waits: then nothing happens for longer than a body may stall.
    const fillTurn = () => {
      isHeldUp = flight.bytes > 0;
      if (!isHeldUp) readMore('another', 1_048_576, fillTurn);
      else for (const end = performance.now() + 200; performance.now() < end; );
    };
    readMore('another', 1_048_576, fillTurn);
    const payload = new PassThrough();
    const answer = send(payload, 70_000);
    payload.end(Buffer.alloc(70_000));
    expect(await answer).toMatchObject({ received: 70_000 });
    expect(isHeldUp).toBe(true);
  });

  it('that breaks off fails its request alone', async () => {
    const { flight, send } = open();
    const payload = new PassThrough();
    payload.write(Buffer.alloc(10_000));
    const answer = send(payload, 70_000);
    setImmediate(() => payload.destroy(new Error('the line is cut')));
    await answer.catch(() => undefined);
    await expect.poll(() => flight.bytes).toBe(0);
    expect(await send(Buffer.alloc(100))).toEqual({ received: 100, inFlight: 100 });
  });

  it('that is only promised does not count yet, however small', async () => {
    const { flight, send } = open();
    const payload = new PassThrough();
    const answer = send(payload, 1_000);
    expect(await send(Buffer.alloc(150_000))).toEqual({ received: 150_000, inFlight: 150_000 });
    payload.end(Buffer.alloc(1_000));
    expect(await answer).toEqual({ received: 1_000, inFlight: 1_000 });
    expect(flight.bytes).toBe(0);
  });

  it('that is too large by its own word is refused before it is read', async () => {
    const { flight, send } = open({}, 100_000);
    let read = 0;
    const payload = new Readable({
      read() {
        read += 1;
      },
    });
    expect((await send(payload, 100_001)).code).toBe('too_large');
    expect([flight.bytes, read]).toEqual([0, 0]);
    payload.destroy();
  });
});

it('many bodies that come as fast as they can bring little in each turn of the event loop', async () => {
  const app = Fastify({ bodyLimit: 4_000_000 });
  const flight = limitBodies(app, { maxBytes: 100_000_000, stallMillis: 20_000 });
  takeRawBodies(app, 4_000_000);
  app.post('/', async request => `received ${(request.body as Buffer).length}`);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const clients = 12;
  const sending = Array.from({ length: clients }, async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  });
  const sockets = await Promise.all(sending);
  let [most, before, isWatching] = [0, 0, true];
  const watch = () => {
    most = Math.max(most, flight.bytes - before);
    before = flight.bytes;
    if (isWatching) setImmediate(watch);
  };
  watch();
  const body = Buffer.alloc(3_000_000);
  const answers = sockets.map(async socket => {
    let text = '';
    socket.on('data', part => {
      text += part;
    });
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n`);
    socket.write(body);
    await expect.poll(() => text, { timeout: 10_000 }).toContain('received 3000000');
    socket.destroy();
  });
  await Promise.all(answers);
  isWatching = false;
  await app.close();
  // One piece of each connection is there and waits.
  expect(most).toBeLessThan(1_048_576 + (clients + 1) * 65_536 + 1);
  expect(most).toBeGreaterThan(500_000);
}, 20_000);

describe('a body that nobody reads', () => {
  const apps: FastifyInstance[] = [];
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
  });

  async function listen(): Promise<{ flight: BodiesInFlight; port: number; atServer: Socket[] }> {
    const app = Fastify();
    apps.push(app);
    const atServer: Socket[] = [];
    app.server.on('connection', socket => atServer.push(socket));
    const flight = limitBodies(app, { maxBytes: 1_000_000, stallMillis: 20_000 });
    app.route({ method: ['GET', 'POST'], url: '/', handler: async () => 'here' });
    app.get('/next', async () => 'next');
    await app.listen({ port: 0, host: '127.0.0.1' });
    return { flight, port: (app.server.address() as AddressInfo).port, atServer };
  }

  /** Sends a body once its answer is there, then asks for something else on the same connection. */
  async function ask(port: number, head: string): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', part => {
      text += part;
    });
    const answered = (what: RegExp) => expect.poll(() => text).toMatch(what);
    try {
      socket.write(`${head}\r\nhost: x\r\ncontent-length: 300000\r\n\r\n`);
      await answered(/\r\n\r\n./);
      socket.write(Buffer.alloc(300_000, 'a'));
      socket.write('GET /next HTTP/1.1\r\nhost: x\r\n\r\n');
      await answered(/next$/);
      return text.slice(0, 'HTTP/1.1 200'.length);
    } finally {
      socket.destroy();
    }
  }

  it.each([
    ['a GET', 'GET / HTTP/1.1', 200],
    ['a type that is not supported', 'POST / HTTP/1.1\r\ncontent-type: application/zip', 415],
  ])('of %s counts no longer than its answer takes, and what follows on its connection is answered', async (_, head, status) => {
    const { flight, port } = await listen();
    expect(await ask(port, head)).toBe(`HTTP/1.1 ${status}`);
    expect(flight.bytes).toBe(0);
  });

  it('counts no more when it arrives after its answer, whether its client stays or leaves', async () => {
    const { flight, port, atServer } = await listen();
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 300000\r\n\r\n');
    await once(socket, 'data');
    socket.write(Buffer.alloc(50_000, 'a'));
    await expect.poll(() => atServer[0]!.bytesRead).toBeGreaterThan(50_000);
    expect(flight.bytes).toBe(0);
    socket.destroy();
    await expect.poll(() => atServer[0]!.closed).toBe(true);
    expect(flight.bytes).toBe(0);
  });
});

describe('the timer of a body that stops arriving', () => {
  afterEach(() => vi.useRealTimers());
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  const countOwn = () => countTimers('/http/load/bodies-in-flight.ts');
  const arriving = () => ({ headers, payload: Readable.from(['{}']) });

  it.each([
    ['a request without a body has none', { method: 'GET' }, 0],
    ['runs while a body arrives', { method: 'POST' }, 1],
  ] as const)('%s', async (_, { method }, timers) => {
    const app = Fastify();
    limitBodies(app, { maxBytes: 1_000, stallMillis: 20_000 });
    const seen: number[] = [];
    app.route({
      method: ['GET', 'POST'],
      url: '/',
      preParsing: async () => void seen.push(timersLeft()),
      handler: async () => 'ok',
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const timersLeft = countOwn();
    const { statusCode } = await app.inject({ method, url: '/', ...(method === 'POST' && arriving()) });
    expect(statusCode).toBe(200);
    expect(seen).toEqual([timers]);
    expect(timersLeft()).toBe(0);
  });

  it('ends with the answer, also of a body that nobody reads', async () => {
    const app = Fastify();
    limitBodies(app, { maxBytes: 1_000, stallMillis: 20_000 });
    app.addHook('preParsing', async (_, reply) => reply.code(403).send('no'));
    app.post('/', async () => 'ok');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const timersLeft = countOwn();
    const { statusCode } = await app.inject({ method: 'POST', url: '/', ...arriving() });
    expect(statusCode).toBe(403);
    await vi.waitFor(() => expect(timersLeft()).toBe(0));
  });
});
