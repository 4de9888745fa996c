import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { steadyClock } from '../../src/operations/clock-watch.ts';
import { forgetRateWindows } from '../../src/operations/forget-rate-windows.ts';
import { minute, noon } from '../store/contract/subject.ts';
import { type OpenSubject, openSubject } from '../store/open-subject.ts';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

type Takes = Pick<OpenSubject['store'], 'takeRateSlot'>;
let network = 0;

/** So many clients check a slug once, each from an IPv6 network of its own. */
async function takeFromNetworks(store: Takes, count: number, now: number): Promise<void> {
  const take = () => {
    network += 1;
    const key = `2001:db8:${(network >> 16).toString(16)}:${(network & 0xffff).toString(16)}::/64`;
    return store.takeRateSlot({ name: 'slugCheck', key, max: 120, windowSeconds: 60 }, now);
  };
  await Promise.all(Array.from({ length: count }, take));
}

describe.each(engines)('rate windows of a thousand networks on $name', engine => {
  let subject: OpenSubject;
  beforeAll(async () => {
    subject = await openSubject(engine);
  });
  afterAll(() => subject.close());

  const forget = (now: number, clock: Parameters<typeof forgetRateWindows>[0]['clock'] = steadyClock) =>
    forgetRateWindows({ store: subject.store, now: () => now, clock });
  const count = async () => Number((await subject.sql('SELECT count(*) AS count FROM rate_slots'))[0]!.count);

  it('are deleted ten minutes after they were over, unless they are few or the clock is doubted', async () => {
    const over = noon + minute;
    await takeFromNetworks(subject.store, 1_000, noon);
    expect([await forget(over + 10 * minute), await count()]).toEqual([0, 1_000]);
    await takeFromNetworks(subject.store, 1, noon);
    await takeFromNetworks(subject.store, 3, noon + 1);
    expect([await forget(over + 10 * minute - 1), await count()]).toEqual([0, 1_004]);
    const doubted = { check: async () => ({ kind: 'leapt', why: 'It is tomorrow.' }) as const };
    expect([await forget(over + 10 * minute, doubted), await count()]).toEqual([0, 1_004]);
    expect([await forget(over + 10 * minute), await count()]).toEqual([1_001, 3]);
  });

  it('ends between two portions when the service stops', async () => {
    await takeFromNetworks(subject.store, 1_001, noon);
    const stopped = AbortSignal.abort(new Error('the service is stopping'));
    const parts = { store: subject.store, now: () => noon + 11 * minute, clock: steadyClock };
    await expect(forgetRateWindows(parts, stopped)).rejects.toThrow('the service is stopping');
    expect(await count()).toBeGreaterThanOrEqual(1_001);
  });
});

describe('a service that runs', () => {
  let app: NotebookApp;
  beforeAll(async () => {
    app = await startNotebookApp({ env: { JOBS: 'off' } });
  });
  afterAll(() => app.close());

  it('does not wait for the purge, with JOBS=off either', async () => {
    await takeFromNetworks(app.parts.store, 1_001, app.clock.now - 12 * minute);
    expect(await app.parts.store.hasManyOldRateSlots(app.clock.now, 1_000)).toBe(true);
    await app.listen();
    // The thread that deletes steps back for everybody: a busy machine leaves it little.
    await expect.poll(() => app.parts.store.hasManyOldRateSlots(app.clock.now, 0), { timeout: 150_000 }).toBe(false);
  }, 180_000);
});
