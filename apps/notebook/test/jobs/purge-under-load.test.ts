import { describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { startNotebookApp } from '../support/notebook-app.ts';
import { purgeUnderLoad } from './purge-under-load.ts';

describe.each(engines)('300 expired notebooks on $name', engine => {
  it('are purged while views stay answered', async () => {
    const app = await startNotebookApp({ engine });
    const { purged, answered, longestGapMs } = await purgeUnderLoad(app, 300);
    expect(purged).toBe(300);
    // Views are answered between the portions: a purge that held everybody up would leave the four readers with a view or two each.
    expect(answered).toBeGreaterThan(20);
    // How fast depends on the machine and on what else it does; the long run measures it.
    expect(longestGapMs).toBeLessThan(10_000);
    await app.close();
  });
});
