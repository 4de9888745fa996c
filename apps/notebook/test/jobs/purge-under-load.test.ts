import { describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { startNotebookApp } from '../support/notebook-app.ts';
import { purgeUnderLoad } from './purge-under-load.ts';

describe.each(engines)('300 expired notebooks on $name', engine => {
  it('are purged while views stay answered', async () => {
    const app = await startNotebookApp({ engine });
    const { purged, answered, portions, portionsAtOnce } = await purgeUnderLoad(app, 300);
    expect(purged).toBe(300);
    // Views are answered between the portions: a purge that held everybody up would leave the four readers with a view or two each,
    // and do most of its work in one silence. How fast it is depends on the machine; the long run measures it.
    expect(answered).toBeGreaterThan(20);
    expect(portionsAtOnce).toBeLessThan(portions / 2);
    await app.close();
  });
});
