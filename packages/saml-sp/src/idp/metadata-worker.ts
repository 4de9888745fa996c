import { parentPort, workerData } from 'node:worker_threads';
import { SamlError } from '../errors.ts';
import { type IdpMetadataOptions, readMetadata } from './idp-metadata.ts';
import type { WorkerAnswer } from './large-metadata.ts';

const batchSize = 50;
const { bytes, options, maxBytes } = workerData as { bytes: Uint8Array; options: IdpMetadataOptions; maxBytes: number };
const say = (answer: WorkerAnswer): void => parentPort?.postMessage(answer);

try {
  const onLeftOut = (entityId: string, error: SamlError): void =>
    say({ kind: 'left-out', entityId, code: error.code, message: error.message });
  const { providers, cacheSeconds } = readMetadata(bytes, { ...options, onLeftOut }, maxBytes);
  for (let at = 0; at < providers.length; at += batchSize)
    say({ kind: 'providers', providers: providers.slice(at, at + batchSize) });
  say({ kind: 'end', cacheSeconds });
} catch (error) {
  if (!(error instanceof SamlError)) throw error;
  say({ kind: 'refused', code: error.code, message: error.message });
}
