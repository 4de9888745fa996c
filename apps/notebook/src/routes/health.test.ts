import Fastify, { LogController } from 'fastify';
import { expect, it } from 'vitest';
import { answerErrors } from '../http/refusals.ts';
import type { RouteContext } from './context.ts';
import { healthRoutes } from './health.ts';

it('an outage is one line a second in the log, however often somebody asks for /api/ping', async () => {
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
