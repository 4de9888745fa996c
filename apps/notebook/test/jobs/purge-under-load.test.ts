import { describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { startNotebookApp } from '../support/notebook-app.ts';
import { purgeUnderLoad } from './purge-under-load.ts';

describe.each(engines)('300 expired notebooks on $name', engine => {
  it('are purged while views stay answered', async () => {
    const app = await startNotebookApp({ engine });
    const { purged, purgeMs, answered, longestGapMs } = await purgeUnderLoad(app, 300);
    expect(purged).toBe(300);
    expect(answered).toBeGreaterThan(10);
    // Views are answered between the portions, not only when all is done; how fast depends on the machine.
    expect(longestGapMs).toBeLessThan(Math.max(1_000, purgeMs * 0.75));
    await app.close();
  });
});
