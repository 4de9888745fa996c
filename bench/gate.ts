import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Sealer } from '../apps/gate/src/sessions/seal.ts';
import { freePort } from '../apps/gate/test/support/servers.ts';
import { openStore } from '../packages/sign-in-store/src/index.ts';
import { buildIfStale } from '../tools/build.ts';
import { processorMicros } from './processor-time.ts';

// Ratios within one run: the proxy against nginx proxy_pass to the same upstream, and a check against node:http that does nothing.
// Goals: 0.5 each. Processor time a request (Linux) moves less with other work on the machine. Needs wrk and nginx (Debian).
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-gate-'));
const program = fileURLToPath(new URL('../apps/gate/dist/server/cli.js', import.meta.url));
const key = 'the key of this bench, which is long enough';
const children: ReturnType<typeof spawn>[] = [];

await buildIfStale();
const [upstream, nginx, gate] = [await freePort(), await freePort(), await freePort()];
try {
  const application = start(process.execPath, [
    '-e',
    `require('http').createServer((q, r) => r.end('x'.repeat(1024))).listen(${upstream}, '127.0.0.1')`,
  ]);
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr; events {} http { access_log off;
      client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
      upstream app { server 127.0.0.1:${upstream}; keepalive 64; }
      server { listen 127.0.0.1:${nginx}; location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; } } }`,
  );
  const front = start('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')]);
  const config = {
    listen: `127.0.0.1:${gate}`,
    publicUrl: `http://127.0.0.1:${gate}`,
    upstream: `http://127.0.0.1:${upstream}`,
    trustedProxies: ['127.0.0.1'],
    session: { store: `sqlite:${join(folder, 'gate.db')}`, keys: [{ env: 'KEY_0' }] },
    providers: [
      { id: 'corp', protocol: 'oidc', name: 'Corp', issuer: 'https://op.example', clientId: 'x', clientSecret: { env: 'S' } },
    ],
    rules: [
      { paths: ['/free/**'], allow: 'anyone' },
      { paths: ['/**'], allow: 'signed-in' },
    ],
  };
  const env = { KEY_0: key, S: 's' };
  writeFileSync(join(folder, 'gate.json'), JSON.stringify(config));
  const ours = start(
    process.execPath,
    [...(process.env.BENCH_NODE_ARGUMENTS?.split(' ') ?? []), program, '--config', join(folder, 'gate.json')],
    env,
  );
  for (const port of [upstream, nginx, gate]) await untilReady(port);
  const cookie = await createSession(config.session.store);
  const results: Record<string, { rate: number[]; micros: number[]; p99: string }> = {};
  const cases: [string, number, number, string, string[]][] = [
    ['node:http that does nothing', application, upstream, '/', []],
    ['nginx proxy_pass', front, nginx, '/', []],
    ['gate as proxy, free path', ours, gate, '/free/x', []],
    ['gate as proxy, with a session', ours, gate, '/x', [`Cookie: ${cookie}`]],
    ['gate check, free path', ours, gate, '/gate/check', ['X-Original-URI: /free/x']],
    ['gate check, with a session', ours, gate, '/gate/check', ['X-Original-URI: /x', `Cookie: ${cookie}`]],
  ];
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, pid, port, path, headers] of cases) {
      const { rate, micros, p99 } = measure(pid, `http://127.0.0.1:${port}${path}`, headers);
      const found = results[name] ?? { rate: [], micros: [], p99 };
      results[name] = { rate: [...found.rate, rate], micros: [...found.micros, micros], p99 };
    }
  }
  const median = (name: string) => [...(results[name]?.rate ?? [])].sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
  for (const name of Object.keys(results))
    console.log(
      `${name.padEnd(34)} ${Math.round(median(name))}/s, p99 ${results[name]?.p99}, processor ${Math.min(...(results[name]?.micros ?? [])).toFixed(0)} µs a request`,
    );
  const against = (name: string, bar: string) => console.log(`${name} / ${bar}: ${(median(name) / median(bar)).toFixed(2)}`);
  against('gate as proxy, free path', 'nginx proxy_pass');
  against('gate as proxy, with a session', 'nginx proxy_pass');
  against('gate check, free path', 'node:http that does nothing');
  against('gate check, with a session', 'node:http that does nothing');
} finally {
  await Promise.all(
    children.map(async child => {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }),
  );
  rmSync(folder, { recursive: true, force: true });
}

function start(command: string, words: readonly string[], env: Record<string, string> = {}): number {
  const child = spawn(command, words, { stdio: ['ignore', 'ignore', 'inherit'], env: { PATH: process.env.PATH, ...env } });
  children.push(child);
  return child.pid ?? 0;
}

async function untilReady(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await fetch(`http://127.0.0.1:${port}/free/x`).catch(() => undefined)) !== undefined) return;
    await sleep(50);
  }
  throw new Error(`nothing answers at port ${port}`);
}

function measure(pid: number, url: string, headers: readonly string[]): { rate: number; micros: number; p99: string } {
  const words = ['-t1', '-c16', `-d${seconds}s`, '--latency', ...headers.flatMap(header => ['-H', header]), url];
  const before = processorMicros(pid);
  const { stdout } = spawnSync('wrk', words, { encoding: 'utf8' });
  if (/Non-2xx/.test(stdout)) throw new Error(`${url} refuses: ${stdout}`);
  const requests = Number(/ (\d{1,12}) requests in/.exec(stdout)?.[1]);
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    micros: (processorMicros(pid) - before) / requests,
    p99: /99%\s+(\S+)/.exec(stdout)?.[1] ?? '?',
  };
}

/** A session as a sign-in would leave it. @returns the Cookie header */
async function createSession(address: string): Promise<string> {
  const store = await openStore(address);
  const sealer = new Sealer([key]);
  const id = crypto.randomUUID() + crypto.randomUUID();
  const identity = {
    provider: 'corp',
    issuer: 'https://op.example',
    subject: 'ada',
    email: 'ada@example.org',
    isEmailTrusted: true,
    groups: ['staff'],
    claims: {},
  };
  const value = sealer.seal(JSON.stringify({ identity, record: {} }), 'session value');
  const expiresAt = new Date(Date.now() + 3_600_000);
  await store.createSession({
    id,
    issuer: identity.issuer,
    subject: 'ada',
    signedInAt: new Date(),
    idleSeconds: 3600,
    expiresAt,
    value,
  });
  await store.close();
  return `gate=${sealer.seal(id, 'session cookie')}`;
}
