import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { startService } from '../support/service-process.ts';
import { answered, ask } from './ask.ts';
import { attacks } from './attacks.ts';
import { liveBeside } from './innocents.ts';

/** An hour, or as long as it is told. `SIEGE_TABLE=FILE` keeps the figures. */
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

describe.skipIf(process.platform !== 'linux').each(engines)(
  'four hostile clients for a long time, on $name',
  ({ name, createDatabase }) => {
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
            liveBeside({ port, kept, seconds: minutes * 60 }),
            watching,
            ...[0, 1, 2, 3].map(index => besiege(port, index, end)),
          ]);
          const third = Math.floor(memory.length / 3);
          const told = {
            kept: p99(lived.kept),
            first: p99(lived.first),
            memory: [median(memory.slice(0, third)), median(memory.slice(-third))],
          };
          const line = JSON.stringify({ engine: name, minutes, ...told, answered: Object.fromEntries(answered) });
          if (process.env.SIEGE_TABLE) appendFileSync(process.env.SIEGE_TABLE, `${line}\n`);
          const faults = service
            .output()
            .split('\n')
            .filter(line => line.includes('"level":50'));
          expect(
            [...answered.keys()].filter(status => status >= 500 && status !== 503),
            faults.slice(0, 5).join('\n'),
          ).toEqual([]);
          expect(lived.statuses.filter(status => ![200, 201, 429, 503].includes(status))).toEqual([]);
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
