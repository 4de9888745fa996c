// One service on SQLite, two on one PostgreSQL, and every order in which their calls reach the database that fast-check makes up.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { overtaken } from './arbitraries-at-once.ts';
import { callsAtOnce } from './at-once-property.ts';
import { startTogether, type Together } from './together.ts';

describe.each(engines)('calls at once on $name', engine => {
  let together: Together;
  beforeAll(async () => {
    together = await startTogether(engine, engine.name === 'PostgreSQL' ? 2 : 1);
  });
  afterAll(() => together.close());

  it('are answered, and leave behind, what some order of them does', async () => {
    // The same cases in every run; model.long.ts looks for new ones.
    await fc.assert(callsAtOnce(together), {
      seed: 1,
      examples: overtaken,
      numRuns: 80 + overtaken.length,
      interruptAfterTimeLimit: 60_000,
    });
  });
});
