import { Worker } from 'node:worker_threads';
import { SamlError, type SamlErrorCode } from '../errors.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { bytesOfMetadata, type IdpMetadataOptions, type ReadMetadata, readMetadata } from './idp-metadata.ts';

/** Answers of the worker. Providers come in batches, so that receiving them never blocks the event loop. */
export type WorkerAnswer =
  | { kind: 'providers'; providers: IdentityProvider[] }
  | { kind: 'left-out'; entityId: string; code: SamlErrorCode; message: string }
  | { kind: 'refused'; code: SamlErrorCode; message: string }
  | { kind: 'end'; cacheSeconds: number | undefined };

export const defaultLargeMaxBytes = 104_857_600;
/** Below this size, parsing takes less time than starting a thread. */
const smallBytes = 65_536;

/** Next to this file, whether it runs from source or built. */
const workerFile = new URL(`./metadata-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

function readInWorker(bytes: Uint8Array, options: IdpMetadataOptions): Promise<ReadMetadata> {
  const { onLeftOut, ...plain } = options;
  const copy = Uint8Array.from(bytes);
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile, {
      workerData: { bytes: copy, options: plain, maxBytes: defaultLargeMaxBytes },
      transferList: [copy.buffer],
      env: {},
      // Parsing creates much short-lived data: room for it saves a seventh of the time.
      resourceLimits: { maxYoungGenerationSizeMb: 128 },
    });
    const providers: IdentityProvider[] = [];
    const end = (settle: () => void): void => {
      settle();
      void worker.terminate();
    };
    const take = (answer: WorkerAnswer): void => {
      if (answer.kind === 'providers') providers.push(...answer.providers);
      if (answer.kind === 'left-out') onLeftOut?.(answer.entityId, new SamlError(answer.code, answer.message));
      if (answer.kind === 'refused') end(() => reject(new SamlError(answer.code, answer.message)));
      if (answer.kind === 'end') end(() => resolve({ providers, cacheSeconds: answer.cacheSeconds }));
    };
    worker.on('message', (answer: WorkerAnswer) => {
      try {
        take(answer);
      } catch (error) {
        // An error of the caller's `onLeftOut` is the caller's, as without a worker; thrown from here it would end the process. The
        // worker ends by itself: terminated while it parses, V8 would end the process too.
        worker.removeAllListeners('message');
        reject(error);
      }
    });
    const failed = (cause: unknown): void =>
      reject(new SamlError('SAML_METADATA_INVALID', 'the metadata could not be read', { cause }));
    worker.on('error', failed);
    worker.on('exit', code => failed(new Error(`the worker exited with code ${code}`)));
  });
}

/** Reads metadata of any size without blocking the event loop. */
export async function readMetadataAside(bytes: Uint8Array, options: IdpMetadataOptions): Promise<ReadMetadata> {
  const maxBytes = options.maxBytes ?? defaultLargeMaxBytes;
  if (bytes.byteLength > maxBytes)
    throw new SamlError('SAML_MESSAGE_TOO_LARGE', `the metadata is too large: ${bytes.byteLength} bytes, at most ${maxBytes}`);
  return bytes.byteLength <= smallBytes ? readMetadata(bytes, options) : await readInWorker(bytes, options);
}

/**
 * Reads the identity providers of a large document, such as a federation's aggregate, in a separate thread: the same checks as
 * `readIdpMetadata`, at most 100 MiB unless `maxBytes` says otherwise.
 * @throws SamlError naming the first fault; unusable entities are left out and passed to `onLeftOut`
 * @example const providers = await readLargeMetadata(bytes, { signedBy: [federationCertificate] });
 */
export const readLargeMetadata = async (
  xml: string | Uint8Array,
  options: IdpMetadataOptions = {},
): Promise<IdentityProvider[]> => (await readMetadataAside(bytesOfMetadata(xml), options)).providers;
