import { trustWorkerUrl } from '../../device/trusted-types.ts';
import workerUrl from './image-worker.ts?worker&url';
import { type Shrunk, shrinkImage } from './shrink.ts';
import { elementSurface } from './surface.ts';

interface Waiting {
  readonly file: Blob;
  readonly resolve: (shrunk: Shrunk | Promise<Shrunk>) => void;
}

/** Shrinks images in a worker that starts with the first image and ends with the last, so that people who only write pay nothing. */
export class ImageShrinker {
  #worker: Worker | undefined;
  #count = 0;
  readonly #waiting = new Map<number, Waiting>();

  shrink(file: Blob): Promise<Shrunk> {
    if (typeof Worker === 'undefined' || typeof OffscreenCanvas === 'undefined') return shrinkOnMainThread(file);
    return new Promise<Shrunk>(resolve => {
      const id = ++this.#count;
      this.#waiting.set(id, { file, resolve });
      this.#worker ??= this.#launch();
      this.#worker.postMessage({ id, file });
    });
  }

  #launch(): Worker {
    const worker = new Worker(trustWorkerUrl(workerUrl), { type: 'module' });
    worker.addEventListener('message', (event: MessageEvent<{ id: number; shrunk?: Shrunk }>) => {
      const { id, shrunk } = event.data;
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      waiting?.resolve(shrunk ?? shrinkOnMainThread(waiting.file));
      if (this.#waiting.size === 0) this.#end();
    });
    // The worker did not load, or an image needed more memory than it has.
    worker.addEventListener('error', () => {
      const left = [...this.#waiting.values()];
      this.#waiting.clear();
      this.#end();
      for (const { file, resolve } of left) resolve(shrinkOnMainThread(file));
    });
    return worker;
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}

async function shrinkOnMainThread(file: Blob): Promise<Shrunk> {
  try {
    return await shrinkImage(file, elementSurface);
  } catch {
    return { kind: 'unreadable' };
  }
}
