import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createStore } from '../../src/store/open-store.ts';
import { aPicture } from '../images/pictures.ts';
import { day, make } from '../store/contract/subject.ts';
import { engines } from '../support/engines.ts';
import { findFreePort } from '../support/free-port.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';
import { Client, Tally } from './client.ts';

/** Half an hour, or as long as it is told. `SOAK_TABLE=FILE` keeps the figures; the delay of the event loop is that since the kill in the middle. */
const minutes = Number(process.env.SOAK_MINUTES ?? 30);
const clients = 64;
const loopDelay = new URL('./loop-delay.js', import.meta.url).href;
const notebooks = { expired: 500, living: 600 };

function percentile(numbers: readonly number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? 0;
}

/** One figure for each third of the time: the first, the middle, the last. */
function inThirds(tally: Tally, started: number): { p50: number; p99: number; answers: number }[] {
  const third = (minutes * 60_000) / 3;
  return [0, 1, 2].map(at => {
    const times = tally.answers.filter(one => Math.min(2, Math.floor((one.at - started) / third)) === at).map(one => one.millis);
    return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), answers: times.length };
  });
}

describe.skipIf(process.platform !== 'linux').each(engines)(
  `${clients} people for ${minutes} minutes, and a kill in the middle, on $name`,
  ({ name, createDatabase }) => {
    it(
      'lose no acknowledged write, see nothing stale, meet no error; memory stays flat',
      async () => {
        const database = await createDatabase();
        const images = mkdtempSync(join(tmpdir(), 'octavo-soak-'));
        const store = createStore(database.url);
        await store.migrate();
        const paths: string[] = [];
        for (let number = 0; number < notebooks.living; number++) {
          const { notebook } = await make(store, { visibility: 'public' }, [
            `# Page ${number}\n\nWords of a page of ordinary size.\n`,
          ]);
          paths.push(`/n/${notebook.slug}`);
        }
        for (let number = 0; number < notebooks.expired; number++) await make(store, { expiresAt: Date.now() - 10 * day });

        const port = await findFreePort();
        const loopFile = join(images, 'loop-delay.json');
        const env = {
          DATABASE_URL: database.url,
          PORT: String(port),
          IMAGE_FOLDER: images,
          JOBS: 'on',
          LOG_LEVEL: 'error',
          // As docs/operating.md recommends.
          MALLOC_ARENA_MAX: '2',
          NODE_OPTIONS: `--import=${loopDelay}`,
          LOOP_DELAY_FILE: loopFile,
        };
        const tally = new Tally();
        let service: ServiceProcess = await startService(env);
        try {
          const started = performance.now();
          const end = started + minutes * 60_000;
          const isOver = () => performance.now() >= end;
          const place = { port, tally, paths, picture: await aPicture('png') };
          const people = Array.from({ length: clients }, (_, number) => new Client(place, number));
          const memory: number[] = [];
          const watching = (async () => {
            while (!isOver()) {
              const status = tally.isDown ? '' : readFileSync(`/proc/${service.pid}/status`, 'utf8');
              const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(status) ?? [];
              if (kilobytes !== undefined) memory.push(Number(kilobytes) / 1_024);
              await sleep(1_000);
            }
          })();
          const killing = (async () => {
            await sleep(minutes * 30_000);
            tally.isDown = true;
            tally.kills += 1;
            await service.kill('SIGKILL');
            service = await startService(env);
            tally.isDown = false;
          })();
          await Promise.all([watching, killing, ...people.map(person => person.live(isOver))]);

          const lost = (await Promise.all(people.map(person => person.check()))).flat();
          const due = { expiredBefore: Date.now() - 3 * day, openedBefore: 0, reportedBefore: 0 };
          const third = Math.floor(memory.length / 3);
          const told = {
            engine: name,
            minutes,
            acknowledged: people.reduce((sum, person) => sum + person.writes, 0),
            statuses: tally.statuses,
            thirds: inThirds(tally, started),
            loop: JSON.parse(readFileSync(loopFile, 'utf8')),
            memory: [percentile(memory.slice(0, third), 0.5), percentile(memory.slice(-third), 0.5), Math.max(...memory)],
          };
          if (process.env.SOAK_TABLE) appendFileSync(process.env.SOAK_TABLE, `${JSON.stringify(told)}\n`);
          expect(lost).toEqual([]);
          expect(tally.faults.slice(0, 5)).toEqual([]);
          expect(told.acknowledged).toBeGreaterThan(clients);
          expect((await store.countPurgeable(due, Date.now())).expired).toBe(0);
          expect(told.memory[1]).toBeLessThan(told.memory[0]! * 1.3 + 50);
        } finally {
          await service.kill();
          await store.close();
          database.remove();
          rmSync(images, { recursive: true, force: true });
        }
      },
      minutes * 60_000 + 300_000,
    );
  },
);
