import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from '../view/servers.ts';
import { openTarget } from '../world/target.ts';

/** The process's peak memory so far, in megabytes. */
export function peakMegabytes({ pid }: Running): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

export function percentile(numbers: readonly number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? Number.NaN;
}

async function ask(url: string, init?: RequestInit): Promise<string> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return text;
}

/** The median time of searches, in milliseconds; the first two only warm up. */
export async function searchMillis({ url }: Running, query: string, turns = 21): Promise<number> {
  const times: number[] = [];
  for (let turn = -2; turn < turns; turn++) {
    const started = performance.now();
    const { items } = JSON.parse(await ask(`${url}/api/search?q=${encodeURIComponent(query)}`));
    if (items.length === 0) throw new Error(`nothing was found for ${query}`);
    if (turn >= 0) times.push(performance.now() - started);
  }
  return percentile(times, 0.5);
}

/** Reads the whole sitemap, all of its files. @returns milliseconds, and the number of links */
export async function readSitemap({ url }: Running): Promise<{ millis: number; links: number }> {
  const started = performance.now();
  const index = await ask(`${url}/sitemap.xml`);
  const parts = Array.from(index.matchAll(/<sitemap><loc>[^<]*(\/sitemap[^<]*)<\/loc>/g), ([, path]) => path!);
  let links = index.split('<url>').length - 1;
  for (const part of parts) links += (await ask(url + part)).split('<url>').length - 1;
  return { millis: performance.now() - started, links };
}

/** The median time of creates, in milliseconds. */
export async function createMillis({ url }: Running, turns = 200): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const started = performance.now();
    const body = `# Note ${turn}\n\n${'Some words of a note. '.repeat(50)}\n`;
    await ask(`${url}/api/quick`, { method: 'POST', headers: { 'content-type': 'text/markdown' }, body });
    times.push(performance.now() - started);
  }
  return percentile(times, 0.5);
}

/**
 * One reader reads pages again and again, with a pause after each answer, until `over` says so. @returns the milliseconds of each
 * answer
 */
export async function readUntil(
  { url }: Running,
  paths: readonly string[],
  over: () => boolean | Promise<boolean>,
): Promise<number[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let turn = 0; !(await over()); turn++) {
    const started = performance.now();
    await new Promise<void>((resolve, reject) => {
      http
        .get(url + paths[turn % paths.length], { agent, headers: { 'accept-encoding': 'br' } }, response => {
          if (response.statusCode !== 200) reject(new Error(`a view answered ${response.statusCode}`));
          response.resume().on('end', resolve);
        })
        .on('error', reject);
    });
    times.push(performance.now() - started);
    await sleep(5);
  }
  agent.destroy();
  return times;
}

export interface Purged {
  readonly seconds: number;
  readonly notebooks: number;
  /** The times of answers to readers meanwhile, in milliseconds. */
  readonly times: readonly number[];
}

/** The overdue purge that the program does when it starts, with a reader meanwhile. */
export async function watchPurge(
  program: Running,
  databaseUrl: string,
  paths: readonly string[],
  mostSeconds: number,
): Promise<Purged> {
  const target = await openTarget(databaseUrl);
  try {
    const countDue = async () => {
      const rows = await target.rows(`SELECT count(*) AS count FROM notebooks WHERE expires_at < ${Date.now() - 3 * 86_400_000}`);
      return Number(rows[0]!.count);
    };
    const before = await countDue();
    const started = performance.now();
    let looked = started;
    let left = before;
    const times = await readUntil(program, paths, async () => {
      const now = performance.now();
      if (now - started > mostSeconds * 1_000) return true;
      if (now - looked < 250) return false;
      looked = now;
      left = await countDue();
      return left === 0;
    });
    return { seconds: (performance.now() - started) / 1_000, notebooks: before - left, times };
  } finally {
    await target.release();
  }
}
