import fc from 'fast-check';
import { describe, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { callsAtOnce } from './at-once-property.ts';
import { callsToProcesses, startProcesses } from './processes.ts';
import { sequences } from './sequences.ts';
import { startModelled } from './server.ts';
import { startTogether } from './together.ts';

const rounds = Number(process.env.MODEL_ROUNDS ?? 2_000);

describe.each(engines)('the model and the service on $name', engine => {
  it('agree on long sequences of calls', async () => {
    const { app, server } = await startModelled(engine);
    await fc.assert(sequences({ server, now: app.clock.now }, 80), { numRuns: Math.ceil(rounds / 4) }).finally(() => app.close());
  });

  it('agree on calls at once', async () => {
    const together = await startTogether(engine, engine.name === 'PostgreSQL' ? 2 : 1);
    await fc.assert(callsAtOnce(together), { numRuns: rounds }).finally(() => together.close());
  });
});

it('the model and two processes on one PostgreSQL agree on calls at once', async () => {
  const processes = await startProcesses();
  await fc.assert(callsToProcesses(processes), { numRuns: rounds }).finally(() => processes.close());
});
