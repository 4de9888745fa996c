import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Database, engines } from './support/engines.ts';
import { createThrough, type Made, type ServiceProcess, startService } from './support/service-process.ts';

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

const kills = 30;

/** Saves as fast as answers come, until the service is gone. @returns the last text that was acknowledged */
async function streamSaves(
  origin: string,
  { slug, editToken, pageId }: Made,
  { round, onSaved }: { round: number; onSaved: () => void },
): Promise<{ markdown: string; revision: number } | undefined> {
  let acknowledged: { markdown: string; revision: number } | undefined;
  for (let save = 0; ; save++) {
    const markdown = `round ${round}, save ${save}\n${'x'.repeat(2_000)}`;
    try {
      const answer = await fetch(`${origin}/api/notebooks/${slug}/pages/${pageId}`, {
        method: 'PATCH',
        headers: { ...json, 'x-edit-token': editToken },
        body: JSON.stringify({ markdown, autosave: save % 2 === 0 }),
      });
      if (answer.status !== 200) throw new Error(`save answered ${answer.status}`);
      const page = (await answer.json()) as { revision: number };
      acknowledged = { markdown, revision: page.revision };
      onSaved();
    } catch (error) {
      if (error instanceof TypeError) return acknowledged;
      throw error;
    }
  }
}

describe.each(engines)('the built program on $name', engine => {
  it(`keeps every acknowledged save through ${kills} SIGKILLs`, async () => {
    database = await engine.createDatabase();
    let service = await start();
    const made = await createThrough(service.origin);
    let kept = { markdown: '', revision: 1 };
    for (let round = 0; round < kills; round++) {
      const { promise: saved, resolve: onSaved } = Promise.withResolvers<void>();
      const saves = streamSaves(service.origin, made, { round, onSaved });
      await Promise.race([saved, saves]);
      // Any moment between two saves and within one.
      await sleep(Math.random() * 60);
      await service.kill('SIGKILL');
      running = [];
      kept = (await saves) ?? kept;
      service = await start();
      const answer = await fetch(`${service.origin}/api/notebooks/${made.slug}/pages/${made.pageId}`);
      const page = (await answer.json()) as { markdown: string; revision: number };
      // A save may have been done without its answer arriving; nothing that was answered may be missing.
      expect(page.revision).toBeGreaterThanOrEqual(kept.revision);
      if (page.revision === kept.revision) expect(page.markdown).toBe(kept.markdown);
      else expect(page.revision).toBe(kept.revision + 1);
      kept = page;
    }
    expect(kept.revision).toBeGreaterThan(kills);
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
    const service = await start();
    const made = await createThrough(service.origin);
    const slow = fetch(`${service.origin}/api/notebooks/${made.slug}/unlock`, {
      method: 'POST',
      headers: json,
      body: '{"password":"x"}',
    });
    await slow;
    running = [];
    expect(await service.kill('SIGTERM')).toBe(0);
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
