import { trustWorkerUrl } from '../../device/trusted-types.ts';
import workerUrl from './convert-worker.ts?worker&url';

/** Hostile nesting can keep a parser busy for a minute. After this time the plain text is used. */
const timeoutMilliseconds = 8_000;

/** Converts in a worker, loaded at the first paste, so that typing goes on and a conversion that takes too long can be ended. */
export async function convertHtml(html: string): Promise<string | undefined> {
  const worker = new Worker(trustWorkerUrl(workerUrl), { type: 'module' });
  return new Promise<string | undefined>(resolve => {
    const timer = setTimeout(resolve, timeoutMilliseconds, undefined);
    worker.addEventListener('message', ({ data }: MessageEvent<string | undefined>) => {
      clearTimeout(timer);
      resolve(data);
    });
    worker.addEventListener('error', () => resolve(undefined));
    worker.postMessage(html);
  }).finally(() => worker.terminate());
}
