import type { LightMyRequestResponse } from 'fastify';
import { createMemoryStore } from '../../src/objects/memory.ts';
import { createPasswords } from '../../src/operations/passwords.ts';
import { purgeExpired } from '../../src/operations/purge-expired.ts';
import type { Engine } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { cutOff, type Told } from './calls.ts';
import type { Request } from './requests.ts';

/** What the model is compared with. */
export interface Server {
  send(request: Request): Promise<Told>;
  setTime(now: number): void;
  purge(): Promise<void>;
  takeDown(slug: string, now: number): Promise<void>;
  putBack(slug: string): Promise<void>;
}

export async function startModelled(engine: Engine): Promise<{ app: NotebookApp; server: Server }> {
  // bcrypt's lowest cost: the model sets and tries many passwords.
  const passwords = createPasswords(4);
  const app = await startNotebookApp({ engine, overrides: { passwords, objects: createMemoryStore() } });
  return { app, server: serve(app) };
}

export function serve(app: Pick<NotebookApp, 'server' | 'parts' | 'clock'>): Server {
  return {
    async send({ method, url, headers, body }) {
      try {
        return tell(await app.server.inject({ method, url, headers, ...(body !== undefined && { payload: body }) }));
      } catch (error) {
        if ((error as { code?: string }).code === 'LIGHT_ECONNRESET') return cutOff;
        throw error;
      }
    },
    setTime: now => {
      app.clock.now = now;
    },
    purge: async () => void (await purgeExpired(app.parts, { timezone: 'UTC' })),
    takeDown: async (slug, now) => void (await app.parts.store.takeDown(slug, now)),
    putBack: async slug => void (await app.parts.store.takeDown(slug, null)),
  };
}

function tell(answer: LightMyRequestResponse): Told {
  const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
  const isJson = /json/.test(headers['content-type'] ?? '');
  const text = answer.body;
  return { status: answer.statusCode, headers, text, json: isJson && text !== '' ? JSON.parse(text) : undefined };
}
