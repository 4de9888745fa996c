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
import { clientCore, pinned, serverCore } from './view/pinned.ts';

// Ratios within one run: the proxy against nginx `proxy_pass` to the same upstream, in nginx's default form (an upstream
// connection for each request) and with connections kept; a check against a node:http server that does nothing. Goals: 0.5 each.
// The measured server has one core, the upstream and the client have the other. Ratios are taken within a round, where both had
// the same conditions; processor time per request (Linux) is least affected by other work on the machine. Needs wrk and nginx
// (Debian).
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-gate-'));
const program = fileURLToPath(new URL('../apps/gate/dist/server/cli.js', import.meta.url));
const key = 'the key of this bench, which is long enough';
const children: ReturnType<typeof spawn>[] = [];
const bar = { node: 'node:http that does nothing', plain: 'nginx proxy_pass', kept: 'nginx proxy_pass, keepalive' } as const;

interface Round {
  readonly rate: number;
  readonly micros: number;
  /** In milliseconds. */
  readonly p99: number;
}

await buildIfStale();
const [upstream, bare, plain, kept, gate] = [
  await freePort(),
  await freePort(),
  await freePort(),
  await freePort(),
  await freePort(),
];
try {
  const answers = (port: number) => [
    '-e',
    `require('http').createServer((q, r) => r.end('x'.repeat(1024))).listen(${port}, '127.0.0.1')`,
  ];
  start(clientCore, process.execPath, answers(upstream));
  const nothing = start(serverCore, process.execPath, answers(bare));
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr; events {} http { access_log off;
      client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
      upstream app { server 127.0.0.1:${upstream}; keepalive 64; }
      server { listen 127.0.0.1:${plain}; location / { proxy_pass http://127.0.0.1:${upstream}; } }
      server { listen 127.0.0.1:${kept}; location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; } } }`,
  );
  const front = start(serverCore, 'nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')]);
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
    serverCore,
    process.execPath,
    [...(process.env.BENCH_NODE_ARGUMENTS?.split(' ') ?? []), program, '--config', join(folder, 'gate.json')],
    env,
  );
  for (const port of [upstream, bare, plain, kept, gate]) await untilReady(port);
  const cookie = await createSession(config.session.store);
  const session = [`Cookie: ${cookie}`];
  const cases: [string, number, number, string, string[]][] = [
    [bar.node, nothing, bare, '/', []],
    ['gate check, free path', ours, gate, '/gate/check', ['X-Original-URI: /free/x']],
    ['gate check, with a session', ours, gate, '/gate/check', ['X-Original-URI: /x', ...session]],
    [bar.plain, front, plain, '/', []],
    [bar.kept, front, kept, '/', []],
    ['gate as proxy, free path', ours, gate, '/free/x', []],
    ['gate as proxy, with a session', ours, gate, '/x', session],
  ];
  const results = new Map<string, Round[]>(cases.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, pid, port, path, headers] of cases)
      results.get(name)?.push(measure(pid, `http://127.0.0.1:${port}${path}`, headers));
  const of = (name: string, what: keyof Round) => (results.get(name) ?? []).map(round => round[what]);
  for (const name of results.keys())
    console.log(
      `${name.padEnd(32)} ${Math.round(median(of(name, 'rate')))}/s, p99 ${median(of(name, 'p99')).toFixed(2)} ms, processor ${Math.min(...of(name, 'micros')).toFixed(1)} µs a request`,
    );
  const against = (name: string, other: string) => {
    const rates = of(name, 'rate').map((rate, at) => rate / (of(other, 'rate')[at] ?? Number.NaN));
    const each = [...rates].sort((a, b) => a - b).map(rate => rate.toFixed(2));
    const micros = Math.min(...of(other, 'micros')) / Math.min(...of(name, 'micros'));
    console.log(
      `${name} / ${other}: ${median(rates).toFixed(2)} (rounds ${each.join(' ')}); by processor time ${micros.toFixed(2)}`,
    );
  };
  for (const name of ['gate check, free path', 'gate check, with a session']) against(name, bar.node);
  for (const other of [bar.plain, bar.kept])
    for (const name of ['gate as proxy, free path', 'gate as proxy, with a session']) against(name, other);
  for (const name of ['gate as proxy, free path', 'gate as proxy, with a session'])
    console.log(
      `added at p99 by ${name}: ${(median(of(name, 'p99')) - median(of(bar.kept, 'p99'))).toFixed(2)} ms more than nginx with keepalive`,
    );
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

function start(core: number, command: string, words: readonly string[], env: Record<string, string> = {}): number {
  const [first = command, ...rest] = pinned(core, [command, ...words]);
  const child = spawn(first, rest, { stdio: ['ignore', 'ignore', 'inherit'], env: { PATH: process.env.PATH, ...env } });
  children.push(child);
  return child.pid ?? 0;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function untilReady(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await fetch(`http://127.0.0.1:${port}/free/x`).catch(() => undefined)) !== undefined) return;
    await sleep(50);
  }
  throw new Error(`nothing answers at port ${port}`);
}

function measure(pid: number, url: string, headers: readonly string[]): Round {
  const words = ['wrk', '-t1', '-c16', `-d${seconds}s`, '--latency', ...headers.flatMap(header => ['-H', header]), url];
  const [command = 'wrk', ...rest] = pinned(clientCore, words);
  const before = processorMicros(pid);
  const { stdout } = spawnSync(command, rest, { encoding: 'utf8' });
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url} refuses: ${stdout}`);
  const requests = Number(/ (\d{1,12}) requests in/.exec(stdout)?.[1]);
  const [, p99 = '', unit = 'ms'] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? [];
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    micros: (processorMicros(pid) - before) / requests,
    p99: Number(p99) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's'],
  };
}

/** Creates a session as a sign-in would. @returns the Cookie header */
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
