import { trustWorkerUrl } from '../device/trusted-types.ts';
import type { GraphToLayOut, LaidOut } from './graph-layout.ts';
import workerUrl from './layout-worker.ts?worker&url';

/** A diagram that takes longer is not suitable for a page. */
const timeoutMilliseconds = 4_000;

/**
 * Lays out in a worker, so that the page does not freeze. @returns undefined when it takes too long. If the worker does not load, there is
 * no answer: the frame notices that nothing comes (frame.ts).
 */
export function layOut(graph: GraphToLayOut): Promise<LaidOut | undefined> {
  const worker = new Worker(trustWorkerUrl(workerUrl), { type: 'module' });
  return new Promise<LaidOut | undefined>(resolve => {
    worker.addEventListener('message', ({ data }: MessageEvent<LaidOut | 'ready' | undefined>) => {
      if (data === 'ready') setTimeout(resolve, timeoutMilliseconds, undefined);
      else resolve(data);
    });
    // Only what the worker itself throws has a message.
    worker.addEventListener('error', ({ message }) => message && resolve(undefined));
    worker.postMessage(graph);
  }).finally(() => worker.terminate());
}
