import { trustWorkerUrl } from '../device/trusted-types.ts';
import type { GraphToLayOut, LaidOut } from './graph-layout.ts';
import workerUrl from './layout-worker.ts?worker&url';

/** A diagram that takes longer is not suitable for a page. */
const timeoutMilliseconds = 4_000;

/** Lays out in a worker, so that the page does not freeze. @returns undefined when it takes too long */
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
