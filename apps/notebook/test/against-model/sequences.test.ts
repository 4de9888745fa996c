import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { engines } from '../support/engines.ts';
import type { NotebookApp } from '../support/notebook-app.ts';
import { type Played, sequences } from './sequences.ts';
import { startModelled } from './server.ts';

describe.each(engines)('any sequence of calls on $name', engine => {
  let app: NotebookApp;
  let played: Played;
  beforeAll(async () => {
    const started = await startModelled(engine);
    app = started.app;
    played = { server: started.server, now: app.clock.now };
  });
  afterAll(() => app.close());

  it('is answered as the model answers it', async () => {
    // The same cases in every run; model.long.ts looks for new ones.
    await fc.assert(sequences(played, 40), { seed: 1, numRuns: 25, interruptAfterTimeLimit: 60_000 });
  });
});
