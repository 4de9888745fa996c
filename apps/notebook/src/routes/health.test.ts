import Fastify, { LogController } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { countTimers } from '../../../../tools/own-timers.ts';
import { answerErrors } from '../http/refusals.ts';
import type { RouteContext } from './context.ts';
import { healthRoutes } from './health.ts';

it('an outage is one line a second in the log, however often a client asks for /api/ping', async () => {
  const lines: { msg: string }[] = [];
  const app = Fastify({
    logger: { level: 'error', stream: { write: (line: string) => void lines.push(JSON.parse(line)) } },
    logController: new LogController({ disableRequestLogging: true }),
  });
  answerErrors(app, reply => reply.send(''));
  const store = { ping: () => Promise.reject(new Error('no database')) };
  healthRoutes(app, { parts: { store, now: () => 0 } } as unknown as RouteContext);
  const answers = await Promise.all(Array.from({ length: 20 }, () => app.inject('/api/ping')));
  for (const answer of answers) {
    expect(answer.json()).toMatchObject({ status: 503, code: 'unavailable', detail: 'The database is unavailable.' });
    expect(answer.headers['retry-after']).toBe('5');
  }
  expect(lines).toMatchObject([
    { msg: 'the database is unavailable; requests are answered with 503', err: { message: 'no database' }, more: 0 },
  ]);
  await app.close();
});

describe('/readyz', () => {
  afterEach(() => vi.useRealTimers());

  async function readiness(proveWrite: () => Promise<void>) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const timersLeft = countTimers('/routes/health.ts');
    const app = Fastify({ logger: false });
    answerErrors(app, reply => reply.send(''));
    healthRoutes(app, { parts: { store: { proveWrite }, now: () => 0 } } as unknown as RouteContext);
    await app.ready();
    return { app, timersLeft, ask: () => app.inject('/readyz') };
  }

  it('asks the disk once for all who ask within half a second', async () => {
    const prove = vi.fn(async () => {});
    const { app, timersLeft, ask } = await readiness(prove);
    const together = await Promise.all([ask(), ask(), ask()]);
    expect(together.map(answer => [answer.statusCode, answer.json()])).toEqual(Array(3).fill([200, { ok: true }]));
    vi.advanceTimersByTime(500);
    await ask();
    expect(prove).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    await ask();
    expect(prove).toHaveBeenCalledTimes(2);
    expect(timersLeft()).toBe(0);
    await app.close();
  });

  it('answers 503 after two seconds to who waits for a write that never ends', async () => {
    const asked = Promise.withResolvers<void>();
    const { app, timersLeft, ask } = await readiness(() => {
      asked.resolve();
      return new Promise(() => {});
    });
    const answer = ask();
    await asked.promise;
    expect(timersLeft()).toBe(1);
    vi.advanceTimersByTime(2_000);
    const { statusCode, headers, body } = await answer;
    expect([statusCode, headers['retry-after'], JSON.parse(body)]).toMatchObject([
      503,
      '5',
      { code: 'unavailable', detail: 'The database cannot write right now.' },
    ]);
    expect(timersLeft()).toBe(0);
    await app.close();
  });
});
