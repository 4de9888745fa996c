import type { PreviewAnswer, PreviewRequest } from '../../markdown/preview-worker.ts';
import workerUrl from '../../markdown/preview-worker.ts?worker&url';
import { trustWorkerUrl } from '../device/trusted-types.ts';

/** The server stops after six seconds; a reader's machine may be slower, and the first look at a megabyte takes longest. */
const timeoutMilliseconds = 20_000;

interface Asked {
  readonly request: PreviewRequest;
  readonly resolve: (answer: PreviewAnswer | undefined) => void;
}

/** The one worker that renders all pages of this window, one after the other. */
class PreviewEngine {
  /** By the id of the request, in the order in which the worker has them. */
  readonly #asked = new Map<number, Asked>();
  #worker: Worker | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #count = 0;

  /** @returns undefined when the worker hung or died over it, and was ended */
  ask(page: string, markdown: string): Promise<PreviewAnswer | undefined> {
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

  /** Only the text that is being rendered uses up its time: the others wait for it. */
  #watchFirst(): void {
    clearTimeout(this.#timer);
    if (this.#asked.size > 0) this.#timer = setTimeout(() => this.#giveUp(), timeoutMilliseconds);
  }

  #launch(): Worker {
    const worker = new Worker(trustWorkerUrl(workerUrl), { type: 'module' });
    worker.addEventListener('message', (event: MessageEvent<PreviewAnswer>) => this.#settle(event.data.id, event.data));
    worker.addEventListener('error', () => this.#giveUp());
    return worker;
  }

  #settle(id: number, answer: PreviewAnswer | undefined): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    this.#watchFirst();
    asked?.resolve(answer);
  }

  /** The first text is to blame; the others go to a new worker. */
  #giveUp(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    const [first, ...others] = this.#asked.keys();
    for (const id of others) this.#send(this.#asked.get(id)!.request);
    if (first !== undefined) this.#settle(first, undefined);
  }
}

export const previewEngine = new PreviewEngine();
