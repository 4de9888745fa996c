import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { totalmem } from 'node:os';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countWork, type Load, levelOf, Pressure, type PressureLevel, shedLoad } from './pressure.ts';

const calm: Load = { lagMillis: 5, memoryShare: 0.2, heapShare: 0.2, requests: 10 };

describe('the pressure on the process', () => {
  it('is none on a calm day', () => expect(levelOf(calm)).toBe('none'));

  it.each<[Partial<Load>, Partial<Load>]>([
    [{ lagMillis: 500 }, { lagMillis: 2_000 }],
    [{ memoryShare: 0.9 }, { memoryShare: 0.95 }],
    [{ heapShare: 0.8 }, { heapShare: 0.95 }],
    [{ requests: 1_500 }, { requests: 5_000 }],
  ])('is high at %o and severe at %o', (high, severe) => {
    expect(levelOf({ ...calm, ...high })).toBe('high');
    expect(levelOf({ ...calm, ...severe })).toBe('severe');
  });

  it('begins past its bounds, not at them', () => {
    expect(levelOf({ lagMillis: 400, memoryShare: 0.85, heapShare: 0.75, requests: 1_000 })).toBe('none');
    expect(levelOf({ lagMillis: 1_500, memoryShare: 0.93, heapShare: 0.9, requests: 3_000 })).toBe('high');
  });
});

describe('a watched process', () => {
  const pressure = new Pressure();
  const memory = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
  let [now, ownMicros, rss] = [0, 0, 0];
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    [now, ownMicros, rss] = [5_000, 7_000_000, 0];
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => ({ user: ownMicros * 0.75, system: ownMicros * 0.25 }));
    vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => rss);
    pressure.start();
  });
  afterEach(() => {
    pressure.stop();
    Object.assign(pressure, { level: 'none', requests: 0 });
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  /** Lets half a second pass, with the loop `late` ms behind it; this thread itself computed for `own` ms. */
  function sample(late = 0, own = late): PressureLevel {
    now += 500 + late;
    ownMicros += own * 1_000;
    vi.advanceTimersByTime(500);
    return pressure.level;
  }

  it('is looked at twice a second', () => {
    pressure.requests = 1_001;
    vi.advanceTimersByTime(499);
    expect(pressure.level).toBe('none');
    vi.advanceTimersByTime(1);
    expect(pressure.level).toBe('high');
    pressure.requests = 3_001;
    expect(sample()).toBe('severe');
    pressure.stop();
    pressure.requests = 0;
    expect(sample()).toBe('severe');
  });

  it('is one for a few clients alone while only they have many requests', () => {
    for (let count = 0; count < 600; count++) for (const client of ['a', 'b']) pressure.begin(client);
    for (let count = 0; count < 32; count++) pressure.begin('c');
    expect(sample()).toBe('none');
    expect(['a', 'b', 'c', 'd'].map(client => pressure.crowdingOf(client))).toEqual(['high', 'high', 'none', 'none']);
    for (let count = 0; count < 2_000; count++) pressure.begin('a');
    expect([sample(), pressure.crowdingOf('b'), pressure.crowdingOf('c')]).toEqual(['none', 'severe', 'none']);
    for (let count = 0; count < 2_600; count++) pressure.end('a');
    for (let count = 0; count < 600; count++) pressure.end('b');
    expect([pressure.crowdingOf('a'), pressure.crowdingOf('b'), pressure.requests]).toEqual(['none', 'none', 32]);
    // Many clients with a few requests each are an overload for everybody.
    for (let client = 0; client < 31; client++) for (let count = 0; count < 32; count++) pressure.begin(`of many ${client}`);
    expect(sample()).toBe('high');
  });

  it('is late when it was so twice in a row', () => {
    expect([sample(2_000), sample(0), sample(2_000)]).toEqual(['none', 'none', 'none']);
    expect([sample(401), sample(401), sample(400), sample(1_600), sample(1_600), sample(0)]).toEqual([
      'high',
      'high',
      'none',
      'none',
      'severe',
      'none',
    ]);
  });

  it('is not late where others keep the processor, nor where it computes in time', () => {
    expect([sample(2_000, 100), sample(2_000, 100), sample(2_000, 400)]).toEqual(['none', 'none', 'none']);
    expect([sample(0, 500), sample(-10, 500), sample(0, 500)]).toEqual(['none', 'none', 'none']);
    expect([sample(600, 401), sample(600, 401)]).toEqual(['none', 'high']);
  });

  it('counts memory against what it may take', () => {
    rss = memory * 0.86;
    expect(sample()).toBe('high');
    rss = memory * 0.94;
    expect(sample()).toBe('severe');
    rss = memory * 0.5;
    expect(sample()).toBe('none');
  });

  it('refuses by its level', () => {
    const refusal = {
      code: 'unavailable',
      extras: { retryAfterSeconds: 2, detail: 'The service is overloaded. Try again in 2 seconds.' },
    };
    const asks = (level: PressureLevel) => {
      pressure.level = level;
      return [() => pressure.requireCapacity(), () => pressure.requireSpareCapacity()].map(ask => {
        try {
          ask();
          return 'room';
        } catch (error) {
          expect(error).toMatchObject(refusal);
          return 'refused';
        }
      });
    };
    expect(asks('none')).toEqual(['room', 'room']);
    expect(asks('high')).toEqual(['room', 'refused']);
    expect(asks('severe')).toEqual(['refused', 'refused']);
  });
});

describe('under pressure', () => {
  let app: FastifyInstance;
  const pressure = new Pressure();
  const reads = [
    '/healthz',
    '/readyz',
    '/',
    '/n/:slug',
    '/n/:slug/p/:pageId',
    '/faq',
    '/n/:slug/print',
    '/n/:slug/find',
    '/search',
    '/api/search',
    '/llms-full.txt',
  ];
  beforeEach(async () => {
    app = Fastify();
    countWork(app, pressure);
    shedLoad(app, pressure);
    for (const url of [...reads, '/api/notebooks']) app.all(url, async () => pressure.requests);
    await app.ready();
  });
  afterEach(async () => {
    pressure.level = 'none';
    await app.close();
  });

  const answered = async (method: 'GET' | 'HEAD' | 'POST', level: PressureLevel) => {
    pressure.level = level;
    const answers = await Promise.all(reads.map(url => app.inject({ method, url })));
    return reads.filter((_, at) => answers[at]!.statusCode === 200);
  };

  it('what costs much goes first, what lies ready never', async () => {
    expect(await answered('GET', 'none')).toEqual(reads);
    for (const method of ['GET', 'HEAD'] as const) {
      expect(await answered(method, 'high')).toEqual(reads.slice(0, 6));
      expect(await answered(method, 'severe')).toEqual(reads.slice(0, 5));
    }
    pressure.level = 'none';
    expect((await app.inject({ method: 'POST', url: '/api/notebooks' })).statusCode).toBe(200);
    pressure.level = 'high';
    expect((await app.inject({ method: 'POST', url: '/api/notebooks' })).statusCode).toBe(503);
    expect((await app.inject('/unknown')).statusCode).toBe(404);
    pressure.level = 'severe';
    expect((await app.inject('/unknown')).statusCode).toBe(503);
  });

  it('every request counts until its answer is sent, refused ones too', async () => {
    expect((await app.inject('/faq')).body).toBe('1');
    pressure.level = 'severe';
    await app.inject('/faq');
    await expect.poll(() => pressure.requests).toBe(0);
  });

  describe('a client that costs nothing but its connection does not count:', () => {
    const open: net.Socket[] = [];
    afterEach(() => {
      for (const socket of open.splice(0)) socket.destroy();
    });
    async function say(text: string) {
      await app.listen({ port: 0, host: '127.0.0.1' });
      const socket = net.connect((app.server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(text));
      open.push(socket.pause());
      return socket;
    }
    const counts: number[] = [];
    beforeEach(async () => {
      await app.close();
      counts.length = 0;
      app = Fastify();
      countWork(app, pressure);
      shedLoad(app, pressure);
      app.addHook('onRequest', async () => void counts.push(pressure.requests));
      app.post('/body', async () => pressure.requests);
      app.get('/long', async () => Buffer.alloc(50_000_000));
    });

    it('its body is awaited', async () => {
      const socket = await say('POST /body HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n');
      await expect.poll(() => counts).toEqual([1]);
      await expect.poll(() => pressure.requests).toBe(0);
      socket.write('{}');
      const [answer] = await once(socket.resume(), 'data');
      expect(String(answer)).toMatch(/\r\n1$/);
      await expect.poll(() => pressure.requests).toBe(0);
    });

    it('its answer is not read', async () => {
      await say('GET /long HTTP/1.1\r\nhost: x\r\n\r\n');
      await expect.poll(() => counts).toEqual([1]);
      await expect.poll(() => pressure.requests).toBe(0);
    });
  });
});
