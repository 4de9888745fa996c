import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createThrough, type ServiceProcess, startService } from '../support/service-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'octavo-workers-'));
const started: ServiceProcess[] = [];
let databases = 0;
let shared: ServiceProcess | undefined;

afterAll(async () => {
  for (const service of started.splice(0)) await service.kill('SIGTERM');
  rmSync(folder, { recursive: true });
});

async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await startService({ WORKERS: '2', DATABASE_URL: `sqlite:${join(folder, `${++databases}.db`)}`, ...env });
  started.push(service);
  return service;
}

/** One for many tests, which leave it with two workers. Who ends it takes it. */
const share = async (): Promise<ServiceProcess> => (shared ??= await start());
async function take(): Promise<ServiceProcess> {
  const service = await share();
  shared = undefined;
  return service;
}

function workersOf({ pid }: ServiceProcess): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function socketsOf(pid: number): number {
  const links = readdirSync(`/proc/${pid}/fd`).map(fd => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return links.filter(link => link.startsWith('socket:')).length;
}

/** How often, from now on, every worker was replaced. */
function countRolls({ output }: ServiceProcess): () => number {
  const rolls = () => output().split('every worker was replaced').length;
  const before = rolls();
  return () => rolls() - before;
}

/** Each on a connection of its own, so that the kernel chooses a worker for it. */
function ask(url: string, options: { agent?: Agent; method?: string; body?: string; headers?: Record<string, string> } = {}) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const { body, headers = {}, method = 'GET', agent } = options;
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(url, { agent: agent ?? false, method, headers: { ...json, ...headers } }, answer => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', chunk => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode!, body: text }));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const times = <Result>(count: number, run: () => Promise<Result>) => Promise.all(Array.from({ length: count }, run));

const generous = { timeout: 60_000, interval: 100 };

describe('WORKERS=2', { timeout: 180_000 }, () => {
  it('spreads the connections of one port over both', async () => {
    const service = await share();
    const workers = workersOf(service);
    expect(workers).toHaveLength(2);
    const before = workers.map(socketsOf);
    const { hostname, port } = new URL(service.origin);
    const open: Socket[] = Array.from({ length: 60 }, () => connect(Number(port), hostname));
    // When 60 are spread by chance, fewer than ten on one side happens once in ten million times.
    await expect.poll(() => workers.map((pid, at) => socketsOf(pid) - before[at]! >= 10), generous).toEqual([true, true]);
    for (const socket of open) socket.destroy();
  });

  it('counts limits for all, exactly', async () => {
    const { origin } = await start({ RATE_LIMITS: 'on' });
    const answers = await times(80, () => ask(`${origin}/api/notebooks`, { method: 'POST', body: '{}' }));
    const count = (status: number) => answers.filter(answer => answer.status === status).length;
    expect([count(201), count(429)]).toEqual([60, 20]);
  });

  it('answers nothing older than what was saved or deleted, whichever worker is asked', async () => {
    const { origin } = await share();
    const { slug, editToken, pageId } = await createThrough(origin, { visibility: 'unlisted' });
    const headers = { 'x-edit-token': editToken };
    const views = async () =>
      (await times(12, () => ask(`${origin}/n/${slug}`))).map(({ status, body }) => [status, /turn-\d+/.exec(body)?.[0]]);
    for (let turn = 1; turn <= 8; turn++) {
      const body = JSON.stringify({ markdown: `turn-${turn}` });
      const saved = await ask(`${origin}/api/notebooks/${slug}/pages/${pageId}`, { method: 'PATCH', body, headers });
      expect(saved.status).toBe(200);
      expect(await views()).toEqual(Array.from({ length: 12 }, () => [200, `turn-${turn}`]));
    }
    expect((await ask(`${origin}/api/notebooks/${slug}`, { method: 'DELETE', headers })).status).toBe(200);
    expect((await views()).map(([status]) => status)).toEqual(Array.from({ length: 12 }, () => 404));
  });

  it('puts another in the place of a worker that died', async () => {
    const service = await share();
    const [first, second] = workersOf(service) as [number, number];
    process.kill(first, 'SIGKILL');
    await expect.poll(() => workersOf(service).filter(pid => pid !== first && pid !== second).length, generous).toBe(1);
    expect(isThere(second)).toBe(true);
    expect((await times(20, () => ask(`${service.origin}/healthz`))).map(({ status }) => status)).toEqual(
      Array.from({ length: 20 }, () => 200),
    );
    expect(service.output()).toContain('a worker ended and is replaced');
  });

  it('SIGHUP replaces each, and no request is refused meanwhile', async () => {
    const service = await share();
    const { slug } = await createThrough(service.origin);
    const before = workersOf(service);
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const rolled = countRolls(service);
    const isOver = () => rolled() > 0;
    const statuses = new Set<number>();
    let asked = 0;
    const keepAsking = async (kept: Agent | undefined) => {
      for (; !isOver(); asked++) statuses.add((await ask(`${service.origin}/n/${slug}`, kept && { agent: kept })).status);
    };
    process.kill(service.pid, 'SIGHUP');
    await Promise.all([keepAsking(agent), keepAsking(agent), keepAsking(undefined), keepAsking(undefined)]);
    agent.destroy();
    expect([...statuses]).toEqual([200]);
    expect(asked).toBeGreaterThan(20);
    const after = workersOf(service);
    expect(after).toHaveLength(2);
    expect(after.filter(pid => before.includes(pid))).toEqual([]);
  });

  it('SIGHUP twice, while workers die: as many as before serve in the end, and each is new', async () => {
    const service = await share();
    const before = workersOf(service);
    const rolled = countRolls(service);
    process.kill(service.pid, 'SIGHUP');
    // The first one's successor is on its way.
    await expect.poll(() => workersOf(service).length, { ...generous, interval: 5 }).toBe(3);
    process.kill(before[0]!, 'SIGKILL');
    await expect.poll(rolled, generous).toBe(1);
    process.kill(service.pid, 'SIGHUP');
    await expect.poll(rolled, generous).toBe(2);
    await expect.poll(() => workersOf(service).length, generous).toBe(2);
    expect(workersOf(service).filter(pid => before.includes(pid))).toEqual([]);
    expect((await ask(`${service.origin}/healthz`)).status).toBe(200);
  });

  it('refuses at once who comes while it ends, rather than keep them waiting for nobody', async () => {
    const service = await start();
    const { hostname, port } = new URL(service.origin);
    // A request that is not sent to its end keeps its worker busy for a while.
    const withheld = connect(Number(port), hostname).on('error', () => {});
    withheld.write('POST /api/notebooks HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{');
    const answered = await ask(`${service.origin}/healthz`);
    expect(answered.status).toBe(200);
    const isRefused = () =>
      new Promise<boolean>(resolve => {
        const socket = connect(Number(port), hostname, () => {
          socket.destroy();
          resolve(false);
        });
        socket.on('error', error => resolve((error as NodeJS.ErrnoException).code === 'ECONNREFUSED'));
      });
    const ended = service.kill('SIGTERM');
    await expect.poll(async () => (await isRefused()) && isThere(service.pid), { ...generous, interval: 10 }).toBe(true);
    withheld.destroy();
    expect(await ended).toBe(0);
  });

  it('SIGTERM ends all of them', async () => {
    const service = await take();
    const workers = workersOf(service);
    expect(await service.kill('SIGTERM')).toBe(0);
    expect(workers.filter(isThere)).toEqual([]);
  });

  it('workers do not outlive who supervises them', async () => {
    const service = await take();
    const workers = workersOf(service);
    await service.kill('SIGKILL');
    await expect.poll(() => workers.filter(isThere), generous).toEqual([]);
  });

  it.each(['1', '2'])('does not share the port of a service with %s of them', async others => {
    const { origin } = await start({ WORKERS: others });
    const { port: PORT } = new URL(origin);
    await expect(startService({ WORKERS: '2', PORT, DATABASE_URL: `sqlite:${join(folder, 'refused.db')}` })).rejects.toThrow(
      /Octavo cannot start: PORT: another program uses \d+ already/,
    );
  });

  it('does not start when it cannot, says so once and ends', async () => {
    await expect(startService({ WORKERS: '2', DATABASE_URL: 'postgres://127.0.0.1:1/octavo' })).rejects.toThrow(
      /Octavo cannot start/,
    );
  });
});
