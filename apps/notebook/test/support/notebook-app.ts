import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { type App, createApp, type Overrides } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { createPasswords } from '../../src/operations/passwords.ts';
import { type Engine, sqlite } from './engines.ts';
import { shareChecker } from './shared-checker.ts';
import { shareRenderer } from './shared-renderer.ts';

export interface NotebookApp extends App {
  /** Moves the app's clock. */
  readonly clock: { now: number };
  /** Sends one request through the whole server, without a socket. */
  ask(method: NonNullable<InjectOptions['method']>, url: string, options?: AskOptions): Promise<LightMyRequestResponse>;
  /** Creates a notebook through the API; expects 201. */
  create(body?: object): Promise<CreatedNotebook>;
}

export interface AskOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface PageBody {
  id: string;
  title: string;
  markdown: string;
  revision: number;
  updatedAt: string;
}

export interface CreatedNotebook {
  readonly slug: string;
  readonly editToken: string;
  readonly viewUrl: string;
  readonly editUrl: string;
  readonly pages: PageBody[];
  readonly notebook: Record<string, unknown> & { slug: string; title: string };
}

export interface StartOptions {
  readonly engine?: Engine;
  readonly env?: Record<string, string>;
  readonly overrides?: Overrides;
}

function bodyOf({ body, token, headers = {} }: AskOptions): Pick<InjectOptions, 'payload' | 'headers'> {
  const owned = token === undefined ? {} : { 'x-edit-token': token };
  if (body === undefined) return { headers: { ...owned, ...headers } };
  const raw = typeof body === 'string' || Buffer.isBuffer(body);
  return { payload: raw ? body : JSON.stringify(body), headers: { 'content-type': 'application/json', ...owned, ...headers } };
}

/** The settings of a service under test. Rate limits are off unless a test asks for them. */
export function testConfig(databaseUrl: string, env: NodeJS.ProcessEnv = {}): Config {
  return readConfig({
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'error',
    RATE_LIMITS: 'off',
    PORT: '0',
    PUBLIC_URL: 'http://localhost',
    ...env,
  });
}

/** When the clock of a service under test begins. */
export const testStart = Date.parse('2026-03-01T12:00:00Z');

/**
 * The whole service on a fresh database; `close` ends it and removes the database. It hashes passwords at the lowest cost: the service's own
 * takes the processor a quarter of a second for each, and `access/unlock.test.ts` asserts it.
 */
export async function startNotebookApp({ engine = sqlite, env = {}, overrides = {} }: StartOptions = {}): Promise<NotebookApp> {
  const database = await engine.createDatabase();
  const config = testConfig(database.url, env);
  const clock = { now: testStart };
  const app = await createApp(config, {
    now: () => clock.now,
    renderer: shareRenderer(),
    imageChecker: shareChecker(),
    passwords: createPasswords(4),
    ...overrides,
  });
  const ask: NotebookApp['ask'] = (method, url, options = {}) => app.server.inject({ method, url, ...bodyOf(options) });
  return {
    ...app,
    clock,
    ask,
    create: async (body = {}) => {
      const answer = await ask('POST', '/api/notebooks', { body });
      if (answer.statusCode !== 201) throw new Error(`create answered ${answer.statusCode}: ${answer.body}`);
      const created = answer.json();
      return { ...created, slug: created.notebook.slug, pages: created.notebook.pages };
    },
    close: async () => {
      await app.close();
      database.remove();
    },
  };
}
