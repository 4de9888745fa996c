import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type Database, engines } from './support/engines.ts';
import { keepThroughKills } from './support/killed-saves.ts';
import { type ServiceProcess, startService } from './support/service-process.ts';

let database: Database | undefined;
let running: ServiceProcess[] = [];

afterEach(async () => {
  await Promise.all(running.map(service => service.kill('SIGKILL')));
  running = [];
  database?.remove();
});

async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await startService({ DATABASE_URL: database!.url, ...env });
  running.push(service);
  return service;
}

const json = { 'content-type': 'application/json' };

const kills = 12;

describe.each(engines)('the built program on $name', engine => {
  // processes.long.ts has many more.
  it(`keeps every acknowledged save through ${kills} SIGKILLs`, async () => {
    database = await engine.createDatabase();
    await keepThroughKills(database.url, kills);
  }, 180_000);

  it('holds a rate limit exactly, and gives a slug to one, over two processes', async () => {
    database = await engine.createDatabase();
    const both = [await start({ RATE_LIMITS: 'on' }), await start({ RATE_LIMITS: 'on' })];
    const ask = (at: number) =>
      fetch(`${both[at % 2]!.origin}/api/notebooks`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ slug: at < 40 ? 'wanted-by-many' : `mine-${at}` }),
      });
    const answers = await Promise.all(Array.from({ length: 120 }, (_, at) => ask(at)));
    const counts = Object.groupBy(answers, answer => String(answer.status));
    expect([counts['429']?.length, (counts['201']?.length ?? 0) + (counts['409']?.length ?? 0)]).toEqual([60, 60]);
    const wanted = await Promise.all(answers.slice(0, 40).map(async answer => answer.status));
    expect(wanted.filter(status => status === 201)).toHaveLength(wanted.some(status => status !== 429) ? 1 : 0);
    expect(Number(counts['429']![0]!.headers.get('retry-after'))).toBeGreaterThan(0);
  }, 60_000);

  it('stops cleanly on SIGTERM, with the request under way answered', async () => {
    database = await engine.createDatabase();
    const service = await start({ LOG_LEVEL: 'info' });
    const body = JSON.stringify({ title: 'Under way' });
    const headers = { ...json, 'content-length': body.length, expect: '100-continue' };
    const sent = request(`${service.origin}/api/notebooks`, { method: 'POST', headers });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    answered.catch(() => {});
    sent.flushHeaders();
    await once(sent, 'continue');
    const ended = service.kill('SIGTERM');
    await expect.poll(service.output).toContain('stopping');
    sent.end(body);
    const [answer] = await answered;
    answer.resume();
    expect(answer.statusCode).toBe(201);
    expect(await ended).toBe(0);
  });
});

it('does not start with a bad configuration, and names every bad variable', async () => {
  await expect(startService({ DATABASE_URL: 'mysql://x', PORT: 'x', LOG_LEVEL: 'loud' })).rejects.toThrow(
    /PORT[\s\S]*DATABASE_URL|DATABASE_URL[\s\S]*PORT/,
  );
});

it('does not start when its port is taken, and says so', async () => {
  database = await engines[0]!.createDatabase();
  const first = await start();
  await expect(startService({ DATABASE_URL: database.url, PORT: new URL(first.origin).port })).rejects.toThrow(
    /cannot start: PORT: another program uses \d+ already[\s\S]*EADDRINUSE/,
  );
});

it('does not start on an address that this machine does not have, and says so', async () => {
  database = await engines[0]!.createDatabase();
  await expect(startService({ DATABASE_URL: database.url, HOST: '192.0.2.1' })).rejects.toThrow(
    /cannot start: HOST: this machine cannot listen on "192\.0\.2\.1"/,
  );
});
