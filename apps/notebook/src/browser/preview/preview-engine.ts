import type { PreviewAnswer, PreviewNews, PreviewRequest } from '../../markdown/preview-worker.ts';
import { FormulaRetry } from './formula-retry.ts';
import { launchPreviewWorker } from './launch-preview-worker.ts';

/** Wall-clock time, more than the server's six seconds of processor time: this device may be slower or busy (docs/decisions/0013). */
const timeoutMilliseconds = 20_000;

/** Why there is no answer: the worker hung or crashed on the text, or could not be loaded. */
export type PreviewFault = 'time' | 'fault' | 'unloaded';

interface Asked {
  readonly request: PreviewRequest;
  readonly resolve: (answer: PreviewAnswer | PreviewFault) => void;
}

/** Renders all pages of this window in one worker, one after the other. */
class PreviewEngine {
  /** Open requests by id, in the order the worker has them. */
  readonly #asked = new Map<number, Asked>();
  readonly #formulas = new FormulaRetry(worker => this.#replaceBy(worker));
  readonly #formulaListeners = new Set<() => void>();
  #worker: Worker | undefined;
  #isLoaded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #count = 0;

  /** @returns a fault when the worker was terminated */
  ask(page: string, markdown: string): Promise<PreviewAnswer | PreviewFault> {
    const id = ++this.#count;
    const request: PreviewRequest = { id, page, markdown };
    this.#formulas.tryWhenDue();
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

  /** @param listener called when missing formulas can be drawn. @returns a function that ends the listening */
  onFormulasLoaded(listener: () => void): () => void {
    this.#formulaListeners.add(listener);
    return () => this.#formulaListeners.delete(listener);
  }

  #send(request: PreviewRequest): void {
    if (!this.#worker) {
      this.#isLoaded = false;
      this.#formulas.stop();
      this.#worker = launchPreviewWorker();
      this.#listenTo(this.#worker);
    }
    this.#worker.postMessage(request);
  }

  /** Times only the text being rendered, not those waiting behind it. The time starts again when the worker has loaded. */
  #watchFirst(): void {
    clearTimeout(this.#timer);
    if (this.#asked.size > 0) this.#timer = setTimeout(() => this.#giveUp('time'), timeoutMilliseconds);
  }

  #listenTo(worker: Worker): void {
    worker.addEventListener('message', ({ data }: MessageEvent<PreviewAnswer | PreviewNews>) => {
      // Ignores messages from a replaced worker: its texts are now answered by the new one.
      if (worker !== this.#worker) return;
      if (data === 'ready') {
        this.#isLoaded = true;
        this.#watchFirst();
      } else if (data === 'formulas') this.#tellFormulas();
      else if (data !== 'no formulas') this.#settle(data.id, data);
    });
    worker.addEventListener('error', () => {
      if (worker === this.#worker) this.#giveUp('fault');
    });
  }

  #tellFormulas(): void {
    this.#formulas.stop();
    for (const listener of this.#formulaListeners) listener();
  }

  /** Replaces the worker by a loaded one that can draw formulas, and sends it all unanswered texts. */
  #replaceBy(worker: Worker): void {
    this.#worker?.terminate();
    this.#worker = worker;
    this.#isLoaded = true;
    this.#listenTo(worker);
    for (const { request } of this.#asked.values()) worker.postMessage(request);
    this.#watchFirst();
    this.#tellFormulas();
  }

  #settle(id: number, answer: PreviewAnswer | PreviewFault): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    this.#watchFirst();
    if (typeof answer !== 'string' && answer.formulasMissing) this.#formulas.start();
    asked?.resolve(answer);
  }

  /** Blames the first text and sends the others to a new worker. If the worker did not load, no text is to blame. */
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
