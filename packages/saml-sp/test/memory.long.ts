import { expect, test } from 'vitest';
import { MemoryReplayStore } from '../src/sp/replay.ts';
import { buildResponse } from './support/response.ts';
import { createServiceProvider, pending, postResponse } from './support/world.ts';

/** Mebibytes of the whole process, wasm memory included. */
const megabytes = (): number => Math.round(process.memoryUsage().rss / 1_048_576);

test('memory is flat over 20,000 verifications, honest, forged and encrypted', async () => {
  const honest = postResponse(buildResponse());
  const forged = postResponse(buildResponse({ signAssertion: { key: 'attacker' } }));
  const encrypted = postResponse(buildResponse({ encrypt: {} }));
  const malformed = postResponse(`${buildResponse()}<`);
  const run = async (http: typeof honest) => {
    const provider = createServiceProvider({ replayStore: new MemoryReplayStore() });
    return await provider.finishSignIn(http, pending).catch(error => (error as { code: string }).code);
  };
  const round = async (count: number) => {
    for (let at = 0; at < count; at += 1) await run([honest, forged, encrypted, malformed][at % 4] ?? honest);
  };
  await round(4_000);
  const before = megabytes();
  const seen: number[] = [];
  for (let step = 0; step < 10; step += 1) {
    await round(2_000);
    seen.push(megabytes());
  }
  console.info(`before ${before} MiB, then every 2,000 verifications: ${seen.join(', ')}`);
  expect(Math.max(...seen.slice(-3)) - before).toBeLessThan(40);
});
