import type { PreviewAnswer, PreviewReady, PreviewRequest } from '../../markdown/preview-worker.ts';
import workerUrl from '../../markdown/preview-worker.ts?worker&url';
import { trustWorkerUrl } from '../device/trusted-types.ts';

/** By the clock, and more than the server's six seconds of processor time: this machine may be slower or busy (docs/decisions/0013). */
const timeoutMilliseconds = 20_000;

/** Why there is no answer: the worker hung or died over the text, or could not be loaded. */
export type PreviewFault = 'time' | 'fault' | 'unloaded';

interface Asked {
  readonly request: PreviewRequest;
  readonly resolve: (answer: PreviewAnswer | PreviewFault) => void;
}

/** The one worker that renders all pages of this window, one after the other. */
class PreviewEngine {
  /** By the id of the request, in the order in which the worker has them. */
  readonly #asked = new Map<number, Asked>();
  #worker: Worker | undefined;
  #isLoaded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #count = 0;

  /** @returns a fault when the worker was ended */
  ask(page: string, markdown: string): Promise<PreviewAnswer | PreviewFault> {
    const id = ++this.#count;
    const request: PreviewRequest = { id, page, markdown };
    return new Promise(resolve => {
      this.#asked.set(id, { request, resolve });
      this.#send(request);
      if (this.#asked.size === 1) this.#watchFirst();
    });
  }

  forget(page: string): void {
    const request: PreviewRequest = { id: 0, page };
    this.#worker?.postMessage(request);
  }

  #send(request: PreviewRequest): void {
    this.#worker ??= this.#launch();
    this.#worker.postMessage(request);
  }

  /** Only the text that is being rendered uses up its time: the others wait for it. Loading is no text's time. */
  #watchFirst(): void {
    clearTimeout(this.#timer);
    if (this.#asked.size > 0) this.#timer = setTimeout(() => this.#giveUp('time'), timeoutMilliseconds);
  }

  #launch(): Worker {
    const worker = new Worker(trustWorkerUrl(workerUrl), { type: 'module' });
    this.#isLoaded = false;
    worker.addEventListener('message', ({ data }: MessageEvent<PreviewAnswer | PreviewReady>) => {
      if (data !== 'ready') return this.#settle(data.id, data);
      this.#isLoaded = true;
      this.#watchFirst();
    });
    worker.addEventListener('error', () => this.#giveUp('fault'));
    return worker;
  }

  #settle(id: number, answer: PreviewAnswer | PreviewFault): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    this.#watchFirst();
    asked?.resolve(answer);
  }

  /** The first text is to blame, and the others go to a new worker; for one that did not load, none is. */
  #giveUp(fault: PreviewFault): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    const told = this.#isLoaded ? fault : 'unloaded';
    const [first, ...others] = this.#asked.keys();
    for (const id of others) {
      if (told === 'unloaded') this.#settle(id, told);
      else this.#send(this.#asked.get(id)!.request);
    }
    if (first !== undefined) this.#settle(first, told);
  }
}

export const previewEngine = new PreviewEngine();
