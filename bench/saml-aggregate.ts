import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { keyDescriptor, signMetadata } from '../packages/saml-sp/test/support/idp-metadata-fixture.ts';
import { testKey } from '../packages/saml-sp/test/support/keys.ts';
import { federation } from '../packages/saml-sp/test/support/provider-shapes.ts';

// A federation's signed aggregate, read as MetadataRefresh reads it: in a separate thread. Limits on a quiet machine: 1,500
// entities in one second, and the event loop never blocked for more than 50 ms. The package is built first, as it is published:
// otherwise the thread would spend half of its time on stripping types.
const home = path.join(import.meta.dirname, '../packages/saml-sp');
const built = path.join(home, 'node_modules/.cache/bench');
execFileSync(process.execPath, [
  path.join(import.meta.dirname, '../node_modules/typescript/bin/tsc'),
  ...['-p', path.join(home, 'tsconfig.build.json'), '--outDir', built],
]);
const { readLargeMetadata } = (await import(
  path.join(built, 'idp/large-metadata.js')
)) as typeof import('../packages/saml-sp/src/idp/large-metadata.ts');
const entities = Number(process.argv[2] ?? 1500);
const maxSeconds = entities / 1500;
const maxPauseMs = 50;

const tomorrow = new Date(Date.now() + 86_400_000).toISOString().replace(/\.\d+Z/, 'Z');
const xml = Buffer.from(signMetadata(federation(entities, tomorrow, keyDescriptor('idp')), { key: 'other' }));
const options = { signedBy: [testKey('other').certificate] };

await readLargeMetadata(xml, options);
const delay = monitorEventLoopDelay({ resolution: 1 });
const best = { seconds: Number.POSITIVE_INFINITY, processor: Number.POSITIVE_INFINITY, pause: Number.POSITIVE_INFINITY };
for (let run = 0; run < 5; run += 1) {
  delay.reset();
  delay.enable();
  const began = performance.now();
  const usage = process.cpuUsage();
  const providers = await readLargeMetadata(xml, options);
  const seconds = (performance.now() - began) / 1000;
  delay.disable();
  const { user, system } = process.cpuUsage(usage);
  if (providers.length !== entities) throw new Error(`${providers.length} providers were read`);
  best.seconds = Math.min(best.seconds, seconds);
  best.processor = Math.min(best.processor, (user + system) / 1e6);
  best.pause = Math.min(best.pause, delay.max / 1e6);
}
const ok = best.seconds <= maxSeconds && best.pause <= maxPauseMs;
console.log(
  `signed aggregate of ${entities} entities, ${(xml.length / 1e6).toFixed(1)} MB: ${best.seconds.toFixed(2)} s (${best.processor.toFixed(2)} s of processor time), ` +
    `event loop held up for ${best.pause.toFixed(0)} ms at most (best of 5): ${ok ? 'ok' : `ABOVE ${maxSeconds} s or ${maxPauseMs} ms`}`,
);
if (!ok) process.exitCode = 1;
