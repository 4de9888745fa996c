import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { urls } from '../../urls.ts';
import { answerHalfClosed } from '../connections/half-closed.ts';
import { RequestScheduler, scheduleRequests } from './request-scheduler.ts';

/** A clock that only work advances. */
function startClock() {
  let now = 0;
  return {
    now: () => now,
    work(millis: number) {
      now += millis;
    },
  };
}

/** How often the event loop turned before each request began. */
async function beginAll(count: number, millis: number): Promise<number[]> {
  const clock = startClock();
  const share = new RequestScheduler(clock.now);
  let turn = 0;
  let left = count;
  const countTurns = () => {
    turn += 1;
    if (left > 0) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const begunIn: number[] = [];
  const request = async (index: number) => {
    const room = share.enter('a');
    if (room) {
      await room;
      // A request's work without waiting spans several microtasks.
      for (let step = 0; step < 5; step += 1) await undefined;
    }
    clock.work(millis);
    begunIn[index] = turn;
    left -= 1;
  };
  await Promise.all(Array.from({ length: count }, (_, index) => request(index)));
  return begunIn;
}

describe('requests that arrive together', () => {
  it('share a turn of the event loop until its 8 ms are over', async () => {
    const turns = await beginAll(40, 2);
    expect([...Map.groupBy(turns, turn => turn).values()].map(({ length }) => length)).toEqual(Array(10).fill(4));
  });

  it('begin in the order in which they came', async () => {
    const turns = await beginAll(40, 5);
    expect(turns).toEqual(turns.toSorted((a, b) => a - b));
  });

  it('all begin at once when they cost nothing', async () => {
    expect(new Set(await beginAll(40, 0))).toEqual(new Set([0]));
  });
});

it('a request that comes while others wait is behind them, also where there is time left', async () => {
  const clock = startClock();
  const share = new RequestScheduler(clock.now);
  expect(share.enter('a')).toBeUndefined();
  clock.work(8);
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  const second = share.enter('a')!.then(note('second'));
  const late = second.then(() => share.enter('a')).then(note('late'));
  await Promise.all([second, share.enter('a')!.then(note('third')), late]);
  expect(order).toEqual(['second', 'third', 'late']);
  await new Promise(resolve => setImmediate(() => setImmediate(resolve)));
  expect(share.enter('a')).toBeUndefined();
});

it('clients take turns, whatever one of them sends', async () => {
  const clock = startClock();
  const share = new RequestScheduler(clock.now);
  share.enter('a');
  clock.work(8);
  const order: string[] = [];
  const enter = (client: string, name: string) => share.enter(client)!.then(() => void order.push(name));
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(name => enter(name.slice(0, 1), name));
  await Promise.all(all);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

it('more than 512 of one client are refused, and nobody else', async () => {
  const clock = startClock();
  const share = new RequestScheduler(clock.now);
  share.enter('a');
  clock.work(8);
  const waiting = Array.from({ length: 511 }, () => share.enter('a'));
  expect(share.isFullFor('a')).toBe(false);
  waiting.push(share.enter('a'));
  expect([share.isFullFor('a'), share.isFullFor('b')]).toEqual([true, false]);
  waiting.push(share.enter('b'));
  await Promise.all(waiting);
});

it('of requests that are read in one turn, only those that supervisors send begin past its share', async () => {
  const app = Fastify();
  scheduleRequests(app);
  const begun: string[] = [];
  app.get('/busy', async () => {
    begun.push('busy');
    for (const until = performance.now() + 9; performance.now() < until; );
    return '';
  });
  app.get(urls.healthz(), async () => {
    begun.push('healthz');
    return '';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const sockets: net.Socket[] = [];
  for (let count = 0; count < 3; count++) {
    const socket = net.connect(port, '127.0.0.1');
    await Promise.all([once(socket, 'connect'), once(app.server, 'connection')]);
    sockets.push(socket);
  }
  const answers = sockets.map(socket => once(socket, 'data'));
  // All three have arrived when the server next polls.
  for (const [at, path] of ['/busy', '/busy', urls.healthz()].entries())
    sockets[at]!.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await Promise.all(answers);
  // The system chooses which socket is read first.
  expect(begun.toSorted()).toEqual(['busy', 'busy', 'healthz']);
  expect(begun.at(-1)).toBe('busy');
  for (const socket of sockets) socket.destroy();
  await app.close();
});

it.each([
  ['GET', 10, false],
  ['POST', 20, false],
  ['GET', 10, true],
  ['POST', 20, true],
] as const)(
  'a reader who left while it waited makes no work, a writer’s request is carried out: %s',
  async (method, most, halfOpen) => {
    const app = Fastify();
    scheduleRequests(app);
    if (halfOpen) answerHalfClosed(app.server, 3_600_000);
    let begun = 0;
    let sockets: net.Socket[] = [];
    app.route({
      method,
      url: '/',
      handler: async () => {
        begun += 1;
        for (const socket of sockets) socket.destroy();
        for (const until = performance.now() + 9; performance.now() < until; );
        return '';
      },
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const atServer: net.Socket[] = [];
    app.server.on('connection', socket => atServer.push(socket));
    sockets = Array.from({ length: 20 }, () => net.connect(port, '127.0.0.1'));
    await expect.poll(() => atServer.length).toBe(20);
    for (const socket of sockets) socket.write(`${method} / HTTP/1.1\r\nhost: x\r\n\r\n`);
    await expect.poll(() => atServer.every(({ closed }) => closed)).toBe(true);
    // As soon as the server knows, a few turns later.
    if (method === 'POST') await expect.poll(() => begun).toBe(most);
    await new Promise(resolve => setTimeout(resolve, 500));
    expect(begun).toBeLessThanOrEqual(most);
    await app.close();
  },
);

it.each([
  ['/api/slow', 'application/problem+json; charset=utf-8', '"code":"unavailable"'],
  ['/slow', 'text/plain; charset=utf-8', 'The service is overloaded. Try again in 2 seconds.'],
])('refuses a client’s requests past those that wait, with a prepared answer: %s', async (url, type, words) => {
  const app = Fastify();
  app.addHook('onRequest', async (_, reply) => void reply.header('x-content-type-options', 'nosniff'));
  scheduleRequests(app);
  let begun = 0;
  app.get(url, async () => {
    begun += 1;
    for (const until = performance.now() + 9; begun === 1 && performance.now() < until; );
    return 'words';
  });
  const ask = (remoteAddress: string) => app.inject({ url, remoteAddress });
  const [others, own] = [ask('203.0.113.2'), Array.from({ length: 600 }, () => ask('203.0.113.1'))];
  const answers = await Promise.all(own);
  const refused = answers.filter(({ statusCode }) => statusCode === 503);
  expect(refused.length).toBeGreaterThanOrEqual(600 - 512 - 1);
  expect(refused[0]!.headers).toMatchObject({
    'content-type': type,
    'retry-after': '2',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  expect(refused[0]!.body).toContain(words);
  expect((await others).statusCode).toBe(200);
  expect(answers.length - refused.length + 1).toBe(begun);
  await app.close();
});

it('of requests that go on together, the first one does not wait, and the others share turns', async () => {
  const clock = startClock();
  const share = new RequestScheduler(clock.now);
  share.enter('a');
  const order: string[] = [];
  const goOn = (client: string) => Promise.resolve(share.enterAgain(client)).then(() => order.push(client));
  expect(share.enterAgain('a')).toBeUndefined();
  const others = ['a', 'a', 'a', 'b'].map(goOn);
  expect(share.enterAgain('a')).toBeInstanceOf(Promise);
  await Promise.all(others);
  expect(order).toEqual(['a', 'b', 'a', 'a']);
  // In a later turn.
  await new Promise(resolve => setTimeout(resolve, 20));
  expect(share.enterAgain('a')).toBeUndefined();
});

it('a request that comes alone does not wait', () => {
  expect(new RequestScheduler().enter('a')).toBeUndefined();
});

it('looks at the clock only after so many requests as may begin without', async () => {
  let looks = 0;
  const clock = startClock();
  const share = new RequestScheduler(() => {
    looks += 1;
    return clock.now();
  }, 2);
  const enter = () => {
    const turn = share.enter('a');
    clock.work(8);
    return turn;
  };
  expect([enter(), enter(), looks]).toEqual([undefined, undefined, 0]);
  expect([enter(), looks > 0]).toEqual([undefined, true]);
  await enter();
  await new Promise(resolve => setTimeout(resolve, 20));
  expect([enter(), enter()]).toEqual([undefined, undefined]);
});
