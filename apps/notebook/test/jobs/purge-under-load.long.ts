import { describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { startNotebookApp } from '../support/notebook-app.ts';
import { purgeUnderLoad } from './purge-under-load.ts';

describe.each(engines)('10,000 expired notebooks on $name', engine => {
  it('are purged while views stay answered', async () => {
    const app = await startNotebookApp({ engine });
    const { purged, purgeMs, answered, longestGapMs } = await purgeUnderLoad(app, 10_000);
    console.log(
      `${engine.name}: ${purged} notebooks in ${(purgeMs / 1_000).toFixed(1)} s, ${answered} views meanwhile, longest gap ${longestGapMs.toFixed(0)} ms`,
    );
    expect(purged).toBe(10_000);
    expect(answered).toBeGreaterThan(1_000);
    expect(longestGapMs).toBeLessThan(5_000);
    await app.close();
  });
});
