import type { PreviewAnswer, PreviewRequest } from '../../markdown/preview-worker.ts';
import workerUrl from '../../markdown/preview-worker.ts?worker&url';
import { trustWorkerUrl } from '../device/trusted-types.ts';

/** The server stops after six seconds; a reader's machine may be slower, and the first look at a megabyte takes longest. */
const timeoutMilliseconds = 20_000;

interface Asked {
  readonly resolve: (answer: PreviewAnswer | undefined) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** The one worker that renders all pages of this window. */
class PreviewEngine {
  readonly #asked = new Map<number, Asked>();
  #worker: Worker | undefined;
  #count = 0;

  /** @returns undefined when the worker hung or died over it, and was ended */
  ask(page: string, markdown: string): Promise<PreviewAnswer | undefined> {
    this.#worker ??= this.#launch();
    const id = ++this.#count;
    const request: PreviewRequest = { id, page, markdown };
    this.#worker.postMessage(request);
    return new Promise(resolve => {
      this.#asked.set(id, { resolve, timer: setTimeout(() => this.#giveUp(), timeoutMilliseconds) });
    });
  }

  forget(page: string): void {
    const request: PreviewRequest = { id: 0, page };
    this.#worker?.postMessage(request);
  }

  #launch(): Worker {
    const worker = new Worker(trustWorkerUrl(workerUrl), { type: 'module' });
    worker.addEventListener('message', (event: MessageEvent<PreviewAnswer>) => this.#settle(event.data.id, event.data));
    worker.addEventListener('error', () => this.#giveUp());
    return worker;
  }

  #settle(id: number, answer: PreviewAnswer | undefined): void {
    const asked = this.#asked.get(id);
    clearTimeout(asked?.timer);
    this.#asked.delete(id);
    asked?.resolve(answer);
  }

  #giveUp(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const id of [...this.#asked.keys()]) this.#settle(id, undefined);
  }
}

export const previewEngine = new PreviewEngine();
