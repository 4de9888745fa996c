import { shrinkImage } from './shrink.ts';
import { offscreenSurface } from './surface.ts';

/** Typing goes on while a large photograph is decoded, drawn and encoded. One at a time: each holds all its pixels in memory. */
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
