import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whenWritten } from '../../../../tools/when-written.ts';
import type { Ask } from './doors.ts';

const program = fileURLToPath(new URL('./measured-process.ts', import.meta.url));

export interface MeasuredService {
  readonly ask: Ask;
  /** The longest turn of its event loop since the last look, in milliseconds of processor time. */
  longest(): Promise<number>;
  stop(): Promise<void>;
}

/** The built service in a process of its own, which knows its longest turn. */
export async function startMeasured(databaseUrl: string): Promise<MeasuredService> {
  const { PATH = '' } = process.env;
  const images = mkdtempSync(join(tmpdir(), 'octavo-doors-'));
  const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'error', JOBS: 'off', DATABASE_URL: databaseUrl, IMAGE_FOLDER: images };
  const env = { PATH, PORT: '0', ...settings };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let told = '';
  child.stdout.on('data', chunk => (told += chunk));
  const [service, probe] = [/listening on (http:\/\/[\d.:]+)/, /probe at (http:\/\/[\d.:]+)/];
  if (!(await whenWritten(child, () => service.test(told) && probe.test(told)))) throw new Error('the service did not start');
  const origin = service.exec(told)![1]!;
  const probeUrl = probe.exec(told)![1]!;
  const ended = once(child, 'exit');
  return {
    async ask({ method = 'GET', path, body, raw, headers = {}, token }) {
      const answer = await fetch(origin + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(raw ? { 'content-type': raw.type } : body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === undefined ? {} : { 'x-edit-token': token }),
          ...headers,
        },
        ...(raw ? { body: raw.text } : body === undefined ? {} : { body: JSON.stringify(body) }),
      }).catch((error: Error) => {
        throw new Error(`${method} ${path.slice(0, 100)}: ${error.message}, ${error.cause}`, { cause: error });
      });
      return { status: answer.status, body: await answer.text() };
    },
    longest: async () => Number(await (await fetch(probeUrl)).text()),
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(images, { recursive: true });
    },
  };
}
