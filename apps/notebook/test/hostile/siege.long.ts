import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { startService } from '../support/service-process.ts';
import { answered, ask } from './ask.ts';
import { attacks } from './attacks.ts';

/** An hour, or as long as it is told. */
const minutes = Number(process.env.SIEGE_MINUTES ?? 60);
const attackSeconds = 10;
/** Both engines share the machine's two cores with four hostile clients: bounds of order, not of speed. */
const mostMillis = { keptP99: 1_000, firstP99: 10_000 };

function p99(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * 0.99)] ?? 0;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** Goes through all attacks, each hostile client from another one on. */
async function besiege(port: number, index: number, end: number): Promise<void> {
  for (let round = index * 5; performance.now() < end; round += 1) {
    const signal = AbortSignal.timeout(Math.ceil(Math.min(attackSeconds * 1_000, Math.max(0, end - performance.now()))));
    await attacks[round % attacks.length]!.run({ port, from: `127.66.${round % 256}.${index + 1}`, signal });
  }
}

interface Lived {
  readonly kept: number[];
  readonly first: number[];
  readonly statuses: Set<number>;
}

/** Looks at one page over and over, and at new ones, each from an address of its own. */
async function live(port: number, kept: string, end: number): Promise<Lived> {
  const lived: Lived = { kept: [], first: [], statuses: new Set() };
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
  return lived;
}

describe.skipIf(process.platform !== 'linux').each(engines)(
  'four hostile clients for a long time, on $name',
  ({ createDatabase }) => {
    it(
      'stop nobody: no error but 429 and 503, others are answered, memory stays flat',
      async () => {
        const database = await createDatabase();
        const service = await startService({ DATABASE_URL: database.url, RATE_LIMITS: 'on', JOBS: 'off', LOG_LEVEL: 'error' });
        try {
          const port = Number(new URL(service.origin).port);
          const quick = await ask(port, {
            method: 'POST',
            path: '/api/quick',
            from: '127.0.0.2',
            type: 'text/markdown',
            body: '# Kept',
          });
          const kept = new URL(quick.location!, 'http://x').pathname;
          const end = performance.now() + minutes * 60_000;
          answered.clear();
          const memory: number[] = [];
          const watching = (async () => {
            while (performance.now() < end) {
              const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
              memory.push(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1_024);
              await sleep(1_000);
            }
          })();
          const [lived] = await Promise.all([
            live(port, kept, end),
            watching,
            ...[0, 1, 2, 3].map(index => besiege(port, index, end)),
          ]);
          const third = Math.floor(memory.length / 3);
          const told = {
            kept: p99(lived.kept),
            first: p99(lived.first),
            memory: [median(memory.slice(0, third)), median(memory.slice(-third))],
          };
          console.log(told, Object.fromEntries(answered));
          const faults = service
            .output()
            .split('\n')
            .filter(line => line.includes('"level":50'));
          expect(
            [...answered.keys()].filter(status => status >= 500 && status !== 503),
            faults.slice(0, 5).join('\n'),
          ).toEqual([]);
          expect([...lived.statuses].filter(status => ![200, 201, 429, 503].includes(status))).toEqual([]);
          expect(told.kept).toBeLessThan(mostMillis.keptP99);
          expect(told.first).toBeLessThan(mostMillis.firstP99);
          expect(median(memory.slice(-third))).toBeLessThan(median(memory.slice(third, 2 * third)) * 1.3 + 50);
        } finally {
          await service.kill();
          database.remove();
        }
      },
      minutes * 60_000 + 120_000,
    );
  },
);
