import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { whenWritten } from '../../../../tools/when-written.ts';

const program = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url));

/** The built program in its own process, as an operator runs it. */
export interface ServiceProcess {
  /** `http://127.0.0.1:{port}`. */
  readonly origin: string;
  readonly pid: number;
  /** Everything it wrote, including logs. */
  readonly output: () => string;
  kill(signal?: NodeJS.Signals): Promise<number | null>;
}

async function readOrigin(child: ChildProcess, output: () => string): Promise<string> {
  const told = /listening on (http:\/\/[\d.:]+)/;
  if (!(await whenWritten(child, () => told.test(output())))) throw new Error(`the service did not start:\n${output()}`);
  return told.exec(output())![1]!;
}

export async function startService(env: Record<string, string>): Promise<ServiceProcess> {
  const { PATH = '', TMPDIR = '' } = process.env;
  const child = spawn(process.execPath, [program], {
    env: { PATH, TMPDIR, PORT: '0', RATE_LIMITS: 'off', OFFLINE: 'off', LOG_LEVEL: 'warn', ...env },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (text += chunk));
  const output = () => text;
  const ended = once(child, 'exit');
  const stopAtExit = () => child.kill('SIGKILL');
  process.once('exit', stopAtExit);
  ended.then(() => process.off('exit', stopAtExit));
  return {
    origin: await readOrigin(child, output),
    pid: child.pid!,
    output,
    async kill(signal = 'SIGTERM') {
      child.kill(signal);
      const [code] = await ended;
      return code;
    },
  };
}

export interface Made {
  readonly slug: string;
  readonly editToken: string;
  readonly pageId: string;
}

/** Creates a notebook of one page through a running service's API. */
export async function createThrough(origin: string, body: object = {}): Promise<Made> {
  const answer = await fetch(`${origin}/api/notebooks`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  if (answer.status !== 201) throw new Error(`create answered ${answer.status}`);
  const { notebook, editToken } = (await answer.json()) as {
    notebook: { slug: string; pages: { id: string }[] };
    editToken: string;
  };
  return { slug: notebook.slug, editToken, pageId: notebook.pages[0]!.id };
}
