import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp, type Overrides } from '../../src/app.ts';
import type { Config } from '../../src/config/config.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { freePort } from './servers.ts';

export const testKey = 'a key for the tests that is long enough';

/** A provider that nobody asks anything: for gates whose sessions are made by `sessionCookie`. */
export const corp = {
  id: 'corp',
  protocol: 'oidc',
  name: 'Corp',
  issuer: 'https://op.example',
  clientId: 'x',
  clientSecret: { env: 'CLIENT_SECRET' },
} as const;

export interface TestGate extends AsyncDisposable {
  readonly origin: string;
  readonly app: App;
  readonly config: Config;
  readonly store: string;
  /** Lines of the log, parsed. */
  readonly log: Record<string, unknown>[];
  /** What the configuration file would hold. */
  readonly input: Record<string, unknown>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The configuration with these settings changed, to be taken with `app.reload`. */
  readConfig(settings: Record<string, unknown>): Config;
}

export interface GateOptions {
  readonly port?: number;
  readonly store?: string;
  readonly keys?: readonly string[];
  readonly session?: Record<string, unknown>;
  readonly overrides?: Overrides;
  readonly env?: Record<string, string>;
}

/** A gate in this process on a port of its own, with a store of its own unless one is given. */
export async function startGate(settings: Record<string, unknown>, options: GateOptions = {}): Promise<TestGate> {
  const port = options.port ?? (await freePort());
  const folder = await mkdtemp(join(tmpdir(), 'octavo-gate-'));
  const store = options.store ?? `sqlite:${join(folder, 'gate.db')}`;
  const keys = options.keys ?? [testKey];
  const input = {
    listen: `127.0.0.1:${port}`,
    publicUrl: `http://127.0.0.1:${port}`,
    trustedProxies: ['127.0.0.1'],
    session: { store: { env: 'STORE' }, keys: keys.map((_, at) => ({ env: `KEY_${at}` })), ...options.session },
    providers: [],
    rules: [{ paths: ['/**'], allow: 'anyone' }],
    ...settings,
  };
  const env = {
    STORE: store,
    CLIENT_SECRET: 'a client secret of the tests',
    ...Object.fromEntries(keys.map((key, at) => [`KEY_${at}`, key])),
    ...options.env,
  };
  const read = (settings: Record<string, unknown>) => readConfig(JSON.stringify({ ...input, ...settings }), env);
  const config = read({});
  const log: Record<string, unknown>[] = [];
  const app = await createApp(config, { writeLog: line => log.push(JSON.parse(line)), ...options.overrides });
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    app,
    config,
    store,
    log,
    input,
    readConfig: read,
    fetch: (path, init) => fetch(`${origin}${path}`, { redirect: 'manual', ...init }),
    async [Symbol.asyncDispose]() {
      await app.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
