import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { oneFile } from '../support/one-file.ts';

const program = new URL('./watched-process.ts', import.meta.url);
const service = new URL('./blocking-service.ts', import.meta.url);
const never = 600_000;
const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

/** A process with the real watchdog around a service that can be kept busy. */
async function start({ silentMillis = never, stopMillis = never }) {
  const words = [pathToFileURL(await oneFile(service)).href, String(silentMillis), String(stopMillis)];
  const child = spawn(process.execPath, [await oneFile(program), ...words]);
  started.push(child);
  let [out, err] = ['', ''];
  child.stdout.on('data', chunk => (out += chunk));
  child.stderr.on('data', chunk => (err += chunk));
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  while (!/listening on/.test(out)) await once(child.stdout, 'data');
  const origin = /http:\S+/.exec(out)![0];
  return {
    child,
    ended,
    lines: () => err.split('\n').filter(line => line.startsWith('{')),
    ask: (kind: string) => fetch(`${origin}/work/${kind}/a-secret-slug`).then(answer => answer.status),
    /** Resolves when the request is worked at. */
    async keepBusy(kind: string) {
      this.ask(kind).catch(() => {});
      while (!out.includes('working')) await once(child.stdout, 'data');
    },
  };
}

// At once: mostly they wait.
describe.concurrent('an event loop that is silent for too long', () => {
  test.each(['script', 'native'])('ends the process, and the log says which route: %s', async kind => {
    const service = await start({ silentMillis: 1_000 });
    await service.keepBusy(kind);
    const [code, signal] = await service.ended;
    expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' });
    const [line] = service.lines();
    expect(JSON.parse(line!)).toMatchObject({
      level: 60,
      msg: 'the event loop was silent for 1000 ms',
      route: 'GET /work/:kind/:slug',
      underWay: { 'GET /work/:kind/:slug': 1 },
    });
    expect(line).not.toContain('secret');
  });

  test('work in portions is no silence, however long it takes', async () => {
    const service = await start({ silentMillis: 2_500 });
    expect(await service.ask('portions')).toBe(200);
    expect(service.lines()).toEqual([]);
  });

  test('a process that was frozen whole, or a machine that slept, is not ended for it', async () => {
    const service = await start({ silentMillis: 2_000 });
    service.child.kill('SIGSTOP');
    // Another one, silent from now on, is ended: so much time has passed for the frozen one too.
    const other = await start({ silentMillis: 2_000 });
    await other.keepBusy('waiting');
    await other.ended;
    service.child.kill('SIGCONT');
    expect(await service.ask('nothing')).toBe(200);
    // Work for longer than the silence that is allowed: a watchdog that counted the frozen time would have ended it meanwhile.
    expect(await service.ask('portions')).toBe(200);
  });
});

describe.concurrent.each(['SIGTERM', 'SIGINT'] as const)('%s', signal => {
  test('ends a service that is free by its own way', async () => {
    const service = await start({});
    expect(await service.ask('nothing')).toBe(200);
    service.child.kill(signal);
    expect(await service.ended).toEqual([0, null]);
  });

  test.each(['script', 'native'])('ends one that is busy when its time is over: %s', async kind => {
    const service = await start({ stopMillis: 500 });
    await service.keepBusy(kind);
    service.child.kill(signal);
    expect(await service.ended).toEqual([null, 'SIGKILL']);
    expect(JSON.parse(service.lines()[0]!)).toMatchObject({ msg: `the service did not stop within 500 ms of ${signal}` });
  });
});

const mayOpen = process.platform === 'linux' ? /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) : null;

test.skipIf(Number(mayOpen?.[1] ?? 0) < 2_048 && 'Linux is not there, or lets a process open fewer than 2,048 files')(
  'the table of open files has room before connections need it',
  async () => {
    const service = await start({});
    const size = () => Number(/^FDSize:\s+(\d+)/m.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))![1]);
    await expect.poll(size).toBeGreaterThanOrEqual(2_048);
  },
);
