import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../../apps/notebook/test/hostile/ask.ts';

/** What innocent clients experience during an attack, measured in a separate process. Times in milliseconds. */
export interface Measured {
  readonly keptP99: number;
  readonly firstMost: number;
  readonly first: number;
  /** First views that were shown plain for the moment. */
  readonly firstPlain: number;
  readonly memoryMegabytes: number;
  /** Answers to innocent clients that were neither 2xx nor expected; status and count. */
  readonly refused: Readonly<Record<string, number>>;
}

export interface ProbeOrder {
  readonly port: number;
  readonly pid: number;
  readonly kept: string;
  readonly seconds: number;
  /** Keeps innocent clients from reaching limits of their own. */
  readonly round: number;
}

function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
}

async function measure({ port, pid, kept, seconds, round }: ProbeOrder): Promise<Measured> {
  const end = performance.now() + seconds * 1_000;
  const isOver = () => performance.now() >= end;
  const refused: Record<string, number> = {};
  const count = (status: number) => {
    if (status < 200 || status > 299) refused[status] = (refused[status] ?? 0) + 1;
  };
  let memory = 0;
  const keptTimes: number[] = [];
  const firstTimes: number[] = [];
  let firstPlain = 0;

  const askKept = async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver()) {
      const { status, millis } = await ask(port, { path: kept, from: '127.0.0.2', agent });
      count(status);
      keptTimes.push(millis);
      await sleep(10);
    }
    agent.destroy();
  };
  const askFirst = async () => {
    for (let index = 0; !isOver(); index += 1) {
      const from = `127.20.${round % 256}.${(index % 250) + 1}`;
      const text = `# Note ${index}\n\nSome **words** of ${Math.random()}.\n`;
      const made = await ask(port, { method: 'POST', path: '/api/quick', from, type: 'text/markdown', body: text });
      count(made.status);
      if (made.location) {
        const view = await ask(port, { path: made.location.replace(/^https?:\/\/[^/]+/, ''), from });
        count(view.status);
        firstTimes.push(view.millis);
        if (view.body.includes('because the service is busy')) firstPlain += 1;
      }
      await sleep(150);
    }
  };
  const askMemory = async () => {
    while (!isOver()) {
      memory = Math.max(memory, memoryOf(pid));
      await sleep(100);
    }
  };
  await Promise.all([askKept(), askFirst(), askMemory()]);
  return {
    keptP99: percentile(keptTimes, 0.99),
    firstMost: Math.max(0, ...firstTimes),
    first: firstTimes.length,
    firstPlain,
    memoryMegabytes: memory,
    refused,
  };
}

try {
  // The time that this process waits for a processor would count as the service's.
  setPriority(-10);
} catch {
  // Only root may do this.
}
process.on('message', async (order: ProbeOrder) => process.send?.(await measure(order)));
process.on('disconnect', () => process.exit());
