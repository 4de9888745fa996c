import { shrinkImage } from './shrink.ts';
import { offscreenSurface } from './surface.ts';

/** A worker lets typing go on while a photograph is shrunk. It takes one at a time, because each has all its pixels in memory. */
let last: Promise<unknown> = Promise.resolve();

addEventListener('message', (event: MessageEvent<{ id: number; file: Blob }>) => {
  const { id, file } = event.data;
  last = last.then(() => answer(id, file));
});

async function answer(id: number, file: Blob): Promise<void> {
  try {
    postMessage({ id, shrunk: await shrinkImage(file, offscreenSurface) });
  } catch (problem) {
    postMessage({ id, problem: String(problem) });
  }
}
