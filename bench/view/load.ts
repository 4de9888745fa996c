import { execFile } from 'node:child_process';
import http from 'node:http';
import { promisify } from 'node:util';

/** Requests a second with `connections` kept alive, each asking again as soon as it is answered. */
export type Load = (url: string, seconds: number, headers: Readonly<Record<string, string>>) => Promise<number>;

const connections = 32;

/** `wrk` leaves the server its core; the built-in loop shares this process's own limits, so its figures are lower for the fastest. */
export async function chooseLoad(): Promise<{ name: string; load: Load }> {
  const found = await promisify(execFile)('wrk', ['--version']).then(
    () => true,
    // It prints its version and exits with 1.
    error => error.code !== 'ENOENT',
  );
  return found ? { name: 'wrk', load: loadWithWrk } : { name: 'the built-in loop (wrk is not installed)', load: loadWithAgents };
}

async function loadWithWrk(url: string, seconds: number, headers: Readonly<Record<string, string>>): Promise<number> {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const { stdout } = await promisify(execFile)('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, ...lines, url]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`not every answer was a page:\n${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}

async function loadWithAgents(url: string, seconds: number, headers: Readonly<Record<string, string>>): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const end = performance.now() + seconds * 1000;
  let answered = 0;
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      http
        .get(url, { agent, headers }, response => {
          if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
          response.resume().on('end', resolve);
        })
        .on('error', reject);
    });
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) {
        await ask();
        answered += 1;
      }
    }),
  );
  agent.destroy();
  return answered / seconds;
}
