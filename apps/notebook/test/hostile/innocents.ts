import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ask } from './ask.ts';

interface Order {
  readonly port: number;
  readonly kept: string;
  readonly seconds: number;
}

/** What other people met, times in milliseconds. */
export interface Lived {
  readonly kept: number[];
  readonly first: number[];
  readonly statuses: number[];
}

/** Looks at one page over and over, and at new ones, each from an address of its own. */
async function live({ port, kept, seconds }: Order): Promise<Lived> {
  const lived = { kept: [] as number[], first: [] as number[], statuses: new Set<number>() };
  const end = performance.now() + seconds * 1_000;
  for (let index = 0; performance.now() < end; index += 1) {
    const from = `127.20.${Math.floor(index / 250) % 256}.${(index % 250) + 1}`;
    const again = await ask(port, { path: kept, from });
    lived.kept.push(again.millis);
    const made = await ask(port, { method: 'POST', path: '/api/quick', from, type: 'text/markdown', body: `# Note ${index}` });
    lived.statuses.add(again.status).add(made.status);
    if (made.location) {
      const first = await ask(port, { path: new URL(made.location, 'http://x').pathname, from });
      lived.first.push(first.millis);
      lived.statuses.add(first.status);
    }
    await sleep(100);
  }
  return { ...lived, statuses: [...lived.statuses] };
}

/** In a process of their own: what holds the attackers' event loop is no answer of the service. */
export async function liveBeside(order: Order): Promise<Lived> {
  const child = fork(fileURLToPath(import.meta.url), ['live'], { execArgv: [] });
  child.send(order);
  const [lived] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('ended'))),
  ]);
  child.kill();
  return lived as Lived;
}

if (process.argv[2] === 'live') process.once('message', async (order: Order) => process.send?.(await live(order)));
