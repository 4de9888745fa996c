import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { postgres } from '../support/engines.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';
import { clientsAtOnce, prepare, prepared } from './arbitraries-at-once.ts';
import { explain, makeAtOnce, observe, tell } from './at-once.ts';
import { type Call, cutOff, type Told } from './calls.ts';
import { someTime } from './compare.ts';
import { play } from './play.ts';
import { nextRun } from './sequences.ts';
import type { Server } from './server.ts';
import { emptyWorld } from './world.ts';

export interface Processes {
  readonly servers: readonly Server[];
  close(): Promise<void>;
}

/** Two processes of the built program on one PostgreSQL, with clocks of their own. */
export async function startProcesses(): Promise<Processes> {
  const database = await postgres.createDatabase();
  const images = mkdtempSync(join(tmpdir(), 'octavo-model-'));
  const env = { DATABASE_URL: database.url, IMAGE_FOLDER: images, PUBLIC_URL: 'http://localhost', JOBS: 'off' };
  const processes: ServiceProcess[] = [await startService(env), await startService(env)];
  return {
    servers: processes.map(serveProcess),
    async close() {
      await Promise.all(processes.map(each => each.kill()));
      database.remove();
      rmSync(images, { recursive: true });
    },
  };
}

const never = async (): Promise<never> => {
  throw new Error('A process of its own is not told such things.');
};

function serveProcess({ origin }: ServiceProcess): Server {
  return {
    async send({ method, url, headers, body }) {
      const answer = await fetch(origin + url, {
        method,
        headers,
        redirect: 'manual',
        ...(body !== undefined && { body: body as BodyInit }),
      });
      const text = await answer.text().catch(() => undefined);
      return text === undefined ? cutOff : tellOf(answer, text);
    },
    setTime: () => {},
    purge: never,
    takeDown: never,
    putBack: never,
  };
}

function tellOf(answer: Response, text: string): Told {
  const headers = Object.fromEntries(answer.headers);
  const isJson = /json/.test(headers['content-type'] ?? '') && text !== '';
  const isTime = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
  const json: unknown = isJson ? JSON.parse(text, (_, value: unknown) => (isTime(value) ? someTime : value)) : undefined;
  return { status: answer.status, headers, text, json };
}

/** Passwords cost a quarter of a second there, and nobody moves their clocks. */
function isPossible(call: Call): boolean {
  if (call.kind === 'settings')
    return !call.change.password && !(typeof call.change.expires === 'number' && call.change.expires < 60_000);
  return !['tick', 'purge', 'take-down', 'create', 'unlock'].includes(call.kind);
}

export function callsToProcesses({ servers }: Processes) {
  const quiet = prepared.map(({ settings: { visibility, burnAfterRead = false }, ...rest }) => ({
    ...rest,
    isUnlocked: false,
    settings: { visibility, burnAfterRead },
  }));
  const clients = clientsAtOnce.filter(calls => calls.flat().every(isPossible));
  return fc.asyncProperty(quiet, clients, async (start, calls) => {
    const run = nextRun();
    const world = emptyWorld(Date.now());
    for (const call of prepare(start)) await play(servers[0]!, world, run, call);
    const made = await makeAtOnce(servers, world, run, calls);
    const worlds = explain([world], made);
    if (worlds.length === 0) throw new Error(tell([world], made));
    await observe(servers[1]!, worlds, run, made);
  });
}
