import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { countTimers } from '../../../../tools/own-timers.ts';
import type { SamlProviderConfig } from '../config/config.ts';
import { SamlDoor } from './saml.ts';

const config = {
  id: 'uni',
  name: 'University',
  metadata: { source: { file: '/nowhere/metadata.xml' }, signedBy: [], refreshSeconds: 600 },
  policy: {},
  entityId: undefined,
  keys: [],
  clockToleranceSeconds: 60,
} as unknown as SamlProviderConfig;

let reads = 0;
const doorAfter = (before?: SamlDoor) =>
  new SamlDoor(
    config,
    {
      publicUrl: 'https://notes.example',
      replayStore: { claim: () => true, release: () => {} },
      now: () => new Date(),
      onMetadataError: () => {
        reads += 1;
      },
      onTokenError: () => {},
    },
    before,
  );

beforeEach(() => {
  reads = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Once more than before, after the time between two readings. */
async function expectOneMore(): Promise<void> {
  const before = reads;
  await vi.advanceTimersByTimeAsync(600_000);
  await vi.waitFor(() => expect(reads).toBe(before + 1));
}

test('metadata is read regularly as long as a door is open, and no more often for two', async () => {
  const timers = countTimers('/idp/metadata-refresh.ts');
  const old = doorAfter();
  await old.open();
  const next = doorAfter(old);
  await next.open();
  await vi.waitFor(() => expect(reads).toBe(2));
  await expectOneMore();
  old.close();
  old.close();
  await expectOneMore();
  // Never opened, as one whose configuration could not be taken.
  doorAfter(next).close();
  await expectOneMore();
  next.close();
  expect(timers()).toBe(0);
  const last = doorAfter(next);
  await last.open();
  await expectOneMore();
  last.close();
});
