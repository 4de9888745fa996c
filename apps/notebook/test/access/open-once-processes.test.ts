import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, postgres } from '../support/engines.ts';
import { createThrough, type ServiceProcess, startService } from '../support/service-process.ts';

let database: Database;
let processes: ServiceProcess[];
beforeAll(async () => {
  database = await postgres.createDatabase();
  const start = () => startService({ DATABASE_URL: database.url });
  processes = [await start(), await start()];
});
afterAll(async () => {
  await Promise.all(processes.map(service => service.kill()));
  database.remove();
});

it('two processes on one PostgreSQL open a burn-after-read notebook for exactly one of 64, 100 times', async () => {
  for (let round = 0; round < 100; round++) {
    const { slug } = await createThrough(processes[round % 2]!.origin, { burnAfterRead: true, pages: [{ markdown: 'once' }] });
    const open = (at: number) =>
      fetch(`${processes[at % 2]!.origin}/api/notebooks/${slug}/open`, { method: 'POST', redirect: 'manual' });
    const answers = await Promise.all(Array.from({ length: 64 }, (_, at) => open(at)));
    const statuses = answers.map(answer => answer.status);
    expect([statuses.filter(status => status === 303).length, statuses.filter(status => status === 404).length]).toEqual([1, 63]);
  }
}, 120_000);
