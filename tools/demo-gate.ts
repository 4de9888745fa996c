import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../apps/gate/test/support/servers.ts';
import { buildIfStale } from './build.ts';
import { withExpectedWarnings } from './expected-warnings.ts';

// `npm run demo:gate`: a provider, the gate and the notebook service. Links stay open to everybody, but only staff may create
// notebooks. The service itself does not know.
const root = fileURLToPath(new URL('../', import.meta.url));
await buildIfStale();
const port = Number(process.env.PORT ?? 4180);
const origin = `http://127.0.0.1:${port}`;
const folder = mkdtempSync(join(tmpdir(), 'octavo-demo-gate-'));
const [notebookPort, providerPort] = [await freePort(), await freePort()];

// oidc-provider, which plays the provider, warns about an in-memory store and its own sign-in pages, both intended here, and
// about every Node that is not yet an LTS release, such as the one this repository uses.
const expected = ['Unsupported runtime', 'development-only in-memory adapter', 'development-only feature devInteractions'];
const { provider, providerOf, clientSecret } = await withExpectedWarnings(expected, async () => {
  const { clientOf, startOpenIdProvider, ...rest } = await import('../apps/gate/test/support/openid-provider.ts');
  return { ...rest, provider: await startOpenIdProvider([clientOf(origin, 'corp')], {}, providerPort) };
});
provider.people.set('ada', { name: 'Ada of the staff', groups: ['staff'] });
provider.people.set('bob', { name: 'Bob, a guest', groups: ['guests'] });

const config = {
  listen: `127.0.0.1:${port}`,
  publicUrl: origin,
  upstream: `http://127.0.0.1:${notebookPort}`,
  session: { store: `sqlite:${join(folder, 'gate.db')}`, keys: [{ env: 'GATE_KEY' }] },
  providers: [providerOf(origin, provider.issuer, 'corp')],
  rules: [
    { methods: ['POST'], paths: ['/api/notebooks', '/api/quick'], allow: { provider: 'corp', groups: ['staff'] } },
    { paths: ['/new', '/quick', '/'], allow: 'signed-in' },
    { paths: ['/**'], allow: 'anyone' },
  ],
};
writeFileSync(join(folder, 'gate.json'), JSON.stringify(config, null, 2));

const children = [
  start('apps/notebook/dist/server/main.js', [], {
    PORT: String(notebookPort),
    PUBLIC_URL: origin,
    DATABASE_URL: `sqlite:${join(folder, 'notebook.db')}`,
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'warn',
  }),
  start('apps/gate/dist/server/cli.js', ['--config', join(folder, 'gate.json')], {
    GATE_KEY: crypto.randomUUID() + crypto.randomUUID(),
    CLIENT_SECRET: clientSecret,
  }),
];
for (const address of [`http://127.0.0.1:${notebookPort}/healthz`, `${origin}/gate/readyz`]) await untilReady(address);
process.stdout.write(`
  the notebook service behind the gate   ${origin}/
  the provider                           ${provider.issuer}

  Sign in as ada (staff, may create) or bob (a guest, may not), with any password.
  Links to notebooks open without any sign-in.
  The configuration: ${join(folder, 'gate.json')}

`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());

function start(program: string, words: readonly string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [join(root, program), ...words], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function untilReady(address: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if ((await fetch(address).catch(() => undefined))?.ok) return;
    await sleep(100);
  }
  await stop();
  throw new Error(`${address} does not respond`);
}

async function stop(): Promise<void> {
  await Promise.all(
    children.map(async child => {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }),
  );
  await provider[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}
