import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeOp } from '../support/fake-op.ts';
import type { TestServer } from '../support/http-server.ts';
import { serveOp } from '../support/served-op.ts';

// Next itself builds the README's example, with its types, from the packages as they are published, and serves it. Among the long
// runs, because Next is 340 MB: this test alone installs it, in a folder of its own.

const next = '16.4.6';
const packages = ['oidc-rp', 'sign-in-store'];
const routes = { '': 'GET', 'sign-in': 'GET', callback: 'GET, POST', 'backchannel-logout': 'POST' };
const home = path.join(import.meta.dirname, '../..');
const root = path.join(home, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'octavo-next-'));
const environment = {
  ...process.env,
  NODE_ENV: 'production' as const,
  NEXT_TELEMETRY_DISABLED: '1',
  COOKIE_KEY: randomBytes(32).toString('base64'),
};
const stops: (() => Promise<unknown>)[] = [];
let op: FakeOp;
let provider: TestServer;

const run = (program: string, ...words: string[]) =>
  execFileSync(program, words, { cwd: folder, env: environment, stdio: 'pipe' });
const runNext = ['node_modules/next/dist/bin/next'] as const;

function write(file: string, text: string): void {
  mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
}

/** A file of this package as its users write it: with the names of the packages instead of their paths. */
const asUsersWriteIt = (file: string): string =>
  readFileSync(path.join(home, file), 'utf8')
    .replaceAll("'../src/index.ts'", "'@octavo/oidc-rp'")
    .replaceAll("'../../src/index.ts'", "'@octavo/oidc-rp'")
    .replaceAll(/'\.\.\/src\/(\w+)\.ts'/g, "'@octavo/oidc-rp/$1'")
    .replaceAll("'../../examples/", "'./");

function build(): void {
  write('package.json', '{ "private": true, "type": "module" }');
  for (const name of packages) {
    const source = path.join(root, 'packages', name);
    mkdirSync(path.join(folder, 'packages', name), { recursive: true });
    copyFileSync(path.join(source, 'package.json'), path.join(folder, 'packages', name, 'package.json'));
    const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
    const outDir = path.join(folder, 'packages', name, 'dist');
    run(process.execPath, compiler, '-p', path.join(source, 'tsconfig.build.json'), '--outDir', outDir);
  }
  const folders = packages.map(name => `./packages/${name}`);
  const types = ['typescript@5', '@types/node', '@types/react'];
  run(
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    '--install-links',
    `next@${next}`,
    'react@19',
    'react-dom@19',
    ...types,
    ...folders,
  );
  for (const name of ['next', 'sessions']) write(`${name}.ts`, asUsersWriteIt(`examples/${name}.ts`));
  write('routes.ts', asUsersWriteIt('test/next/routes.ts'));
  for (const [at, methods] of Object.entries(routes))
    write(
      path.join('app', at, 'route.ts'),
      `import { routes } from '${at === '' ? '../' : '../../'}routes.ts';\nexport const { ${methods} } = routes['/${at}'];\n`,
    );
  const compilerOptions = { strict: true, target: 'ES2022', module: 'esnext', moduleResolution: 'bundler', noEmit: true };
  const needed = { allowImportingTsExtensions: true, skipLibCheck: true, isolatedModules: true, esModuleInterop: true };
  write(
    'tsconfig.json',
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...needed }, exclude: ['node_modules', 'packages'] }),
  );
  run(process.execPath, ...runNext, 'build');
}

/** Next serves what it built. @returns where */
async function start(responseMode: string): Promise<string> {
  const child = spawn(process.execPath, [...runNext, 'start', '-H', '127.0.0.1', '-p', '0'], {
    cwd: folder,
    env: { ...environment, PROVIDER: provider.origin, RESPONSE_MODE: responseMode },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stops.push(async () => {
    const ended = once(child, 'exit');
    if (child.kill()) await ended;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (origin !== undefined) return origin;
  }
  throw new Error('Next ended before it listened');
}

beforeAll(async () => {
  build();
  op = await FakeOp.start();
  op.nowMs = Date.now();
  provider = await serveOp(op);
}, 600_000);

afterAll(async () => {
  for (const stop of stops) await stop();
  await provider?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

test.each(['query', 'form_post'])('Next signs in by %s, once, and ends the session when the provider says so', async mode => {
  const origin = await start(mode);
  const send = (at: string, cookie = '', init: RequestInit = {}) =>
    fetch(origin + at, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
  const who = async (cookie: string) => (await (await send('/', cookie)).json()).signedIn;

  const started = await send('/sign-in');
  const [pending = ''] = started.headers.getSetCookie();
  expect(pending).toMatch(mode === 'query' ? /; SameSite=Lax/ : /; SameSite=None/);
  const cookie = pending.split(';')[0];
  const { pathname, search } = new URL(op.authorize(new URL(started.headers.get('location') ?? '')));
  const back = (given: string | undefined, parameters = search.slice(1)) =>
    mode === 'query'
      ? send(`${pathname}?${parameters}`, given)
      : send(pathname, given, { method: 'POST', body: new URLSearchParams(parameters) });

  expect((await back(undefined)).status).toBe(400);
  expect((await back(cookie, 'code=x&state=y')).status).toBe(400);
  const done = await back(cookie);
  expect([done.status, done.headers.get('location'), done.headers.get('cache-control')]).toEqual([303, '/', 'no-store']);
  const session =
    done.headers
      .getSetCookie()
      .find(line => line.startsWith('__Host-session='))
      ?.split(';')[0] ?? '';
  expect(await who(session)).toEqual({ issuer: op.issuer, subject: op.subject });
  expect(await who('')).toBeNull();
  const again = await back(cookie);
  expect([again.status, (await again.json()).code]).toEqual([400, 'OIDC_PENDING_USED']);

  const post = (logout_token: string) =>
    send('/backchannel-logout', '', { method: 'POST', body: new URLSearchParams({ logout_token }) });
  const wrong = await post('nonsense');
  expect([wrong.status, (await wrong.json()).error_description]).toEqual([400, 'OIDC_JWT_MALFORMED']);
  expect((await post(await op.logoutToken())).status).toBe(200);
  expect(await who(session)).toBeNull();
});
