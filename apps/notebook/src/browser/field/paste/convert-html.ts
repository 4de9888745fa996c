import { trustWorkerUrl } from '../../device/trusted-types.ts';
import workerUrl from './convert-worker.ts?worker&url';

/** Hostile nesting can keep a parser busy for a minute; then the plain text is good enough. */
const timeoutMilliseconds = 8_000;

/** In a worker of its own, fetched at the first paste: typing goes on, and what takes too long is ended. */
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
