import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pinned, serverCore } from './pinned.ts';

export interface Running {
  /** Without a trailing slash. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** What every contestant answers: the same bytes. */
export interface Answer {
  readonly body: Buffer;
  /** As received, without those of the connection. */
  readonly headers: Readonly<Record<string, string>>;
}

export const serviceProgram = new URL('../../apps/notebook/dist/server/main.js', import.meta.url).pathname;

export const databaseOf = (folder: string) => join(folder, 'bench.db');

/** The built program on the folder's database. It writes no log lines, which would be measured too: nginx writes none either. */
export function startOctavo(folder: string): Promise<Running> {
  return startProgram({ DATABASE_URL: `sqlite:${databaseOf(folder)}` });
}

export interface StartOptions {
  /** False for all cores. */
  readonly pin?: boolean;
}

export async function startProgram(
  env: { readonly DATABASE_URL: string } & NodeJS.ProcessEnv,
  options: StartOptions = {},
): Promise<Running> {
  const port = await findFreePort();
  return start(process.execPath, [serviceProgram], port, '/healthz', programEnv(port, env), options);
}

export function programEnv(port: number, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    PORT: String(port),
    // Finished pages contain this address: if it changed with the port, they would be rendered again.
    PUBLIC_URL: 'http://localhost:8080',
    RATE_LIMITS: 'off',
    JOBS: 'off',
    LOG_LEVEL: 'error',
    NODE_ENV: 'production',
    ...env,
  };
}

export async function startBareNode(folder: string, answer: Answer): Promise<Running> {
  const port = await findFreePort();
  const file = join(folder, 'bare-answer.json');
  writeFileSync(file, JSON.stringify({ headers: answer.headers, body: answer.body.toString('base64') }));
  const script = new URL('./bare-server.ts', import.meta.url).pathname;
  return start(process.execPath, [script, String(port), file], port, '/');
}

/** One worker, since the other contestants have one process. Undefined when nginx is not installed. */
export async function startNginx(folder: string, answer: Answer): Promise<Running | undefined> {
  const port = await findFreePort();
  mkdirSync(join(folder, 'www'), { recursive: true });
  // If nginx is started as root, its worker runs as nobody.
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'www/page.html'), answer.body);
  const configuration = join(folder, 'nginx.conf');
  writeFileSync(configuration, nginxConfiguration(folder, port, answer));
  if (spawnSync('nginx', ['-v']).error) return undefined;
  return start('nginx', ['-p', folder, '-c', configuration, '-e', join(folder, 'error.log')], port, '/page.html');
}

function nginxConfiguration(folder: string, port: number, { headers }: Answer): string {
  const encoding = headers['content-encoding'] ? `add_header Content-Encoding ${headers['content-encoding']};` : '';
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${join(folder, name)};`);
  return `daemon off; worker_processes 1; pid ${join(folder, 'nginx.pid')};
events { worker_connections 256; }
http {
  ${temporary.join(' ')}
  types { text/html html; }
  access_log off; sendfile on; tcp_nopush on; open_file_cache max=10; keepalive_requests 100000000;
  server { listen 127.0.0.1:${port}; root ${join(folder, 'www')}; ${encoding} }
}
`;
}

async function start(
  command: string,
  args: string[],
  port: number,
  ready: string,
  env: NodeJS.ProcessEnv = {},
  { pin = true }: StartOptions = {},
): Promise<Running> {
  const [first, ...rest] = pin ? pinned(serverCore, [command, ...args]) : [command, ...args];
  const child = spawn(first!, rest, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env } });
  const url = `http://127.0.0.1:${port}`;
  try {
    await Promise.race([waitUntilReady(url + ready), failure(child, command)]);
  } catch (error) {
    await stop(child);
    throw error;
  }
  return { url, pid: child.pid!, stop: () => stop(child) };
}

function failure(child: ChildProcess, command: string): Promise<never> {
  return new Promise((_, reject) => {
    child.once('error', reject);
    child.once('exit', code => reject(new Error(`${command} ended with ${code} before it answered`)));
  });
}

async function waitUntilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 150; tries += 1) {
    if (
      await fetch(url).then(
        answer => answer.ok,
        () => false,
      )
    )
      return;
    await sleep(100);
  }
  throw new Error(`${url} did not answer within 15 s`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise(resolve => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
