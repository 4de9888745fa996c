import { trustWorkerUrl } from '../device/trusted-types.ts';
import type { GraphToLayOut, LaidOut } from './graph-layout.ts';
import workerUrl from './layout-worker.ts?worker&url';

/** What is not laid out by then is no diagram for a page. */
const timeoutMilliseconds = 4_000;

/** In a thread of its own, for the page must not stop. @returns undefined when it takes too long */
export function layOut(graph: GraphToLayOut): Promise<LaidOut | undefined> {
  const worker = new Worker(trustWorkerUrl(workerUrl), { type: 'module' });
  return new Promise<LaidOut | undefined>(resolve => {
    const timer = setTimeout(resolve, timeoutMilliseconds, undefined);
    worker.addEventListener('message', ({ data }: MessageEvent<LaidOut | undefined>) => {
      clearTimeout(timer);
      resolve(data);
    });
    worker.addEventListener('error', () => resolve(undefined));
    worker.postMessage(graph);
  }).finally(() => worker.terminate());
}
