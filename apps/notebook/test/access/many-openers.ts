import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines, postgres } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { createThrough, type ServiceProcess, startService } from '../support/service-process.ts';

const words = 'read me once';
const many = 64;

/** One service, so many times on each engine. */
export function describeManyOpeners(rounds: number): void {
  describe.each(engines)('burn after read on $name', engine => {
    let app: NotebookApp;
    beforeAll(async () => {
      app = await startNotebookApp({ engine });
    });
    afterAll(() => app.close());

    it(`is opened by exactly one of ${many} who ask at once, ${rounds} times`, async () => {
      for (let round = 0; round < rounds; round++) {
        const { slug } = await app.create({ burnAfterRead: true, pages: [{ markdown: words }] });
        const open = () => app.ask('POST', `/api/notebooks/${slug}/open`);
        const answers = await Promise.all(Array.from({ length: many }, open));
        const won = answers.filter(answer => answer.statusCode === 303);
        const lost = answers.filter(answer => answer.statusCode === 404);
        expect([won.length, lost.length], `round ${round}`).toEqual([1, many - 1]);
        const cookie = String(won[0]!.headers['set-cookie']).split(';')[0]!;
        expect((await app.ask('GET', `/n/${slug}`, { headers: { cookie } })).body).toContain(words);
      }
    }, 120_000);
  });
}

/** Two processes, so many times. */
export function describeManyOpenersOfTwo(rounds: number): void {
  it(`two processes on one PostgreSQL open a burn-after-read notebook for exactly one of ${many}, ${rounds} times`, async () => {
    const database = await postgres.createDatabase();
    const processes: ServiceProcess[] = [];
    try {
      for (let count = 0; count < 2; count++) processes.push(await startService({ DATABASE_URL: database.url }));
      for (let round = 0; round < rounds; round++) {
        const { slug } = await createThrough(processes[round % 2]!.origin, { burnAfterRead: true, pages: [{ markdown: words }] });
        const open = async (at: number) => {
          const url = `${processes[at % 2]!.origin}/api/notebooks/${slug}/open`;
          return (await fetch(url, { method: 'POST', redirect: 'manual' })).status;
        };
        const statuses = await Promise.all(Array.from({ length: many }, (_, at) => open(at)));
        const count = (wanted: number) => statuses.filter(status => status === wanted).length;
        expect([count(303), count(404)], `round ${round}`).toEqual([1, many - 1]);
      }
    } finally {
      await Promise.all(processes.map(service => service.kill()));
      database.remove();
    }
  }, 120_000);
}
