import type { PreviewAnswer, PreviewNews, PreviewRequest } from '../../markdown/preview-worker.ts';
import { FormulaRetry } from './formula-retry.ts';
import { launchPreviewWorker } from './launch-preview-worker.ts';

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
  readonly #formulas = new FormulaRetry(worker => this.#replaceBy(worker));
  readonly #awaitFormulas = new Set<() => void>();
  #worker: Worker | undefined;
  #isLoaded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #count = 0;

  /** @returns a fault when the worker was ended */
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

  /** @param hear called when formulas that were missing can be drawn; @returns what ends that */
  whenFormulasCome(hear: () => void): () => void {
    this.#awaitFormulas.add(hear);
    return () => this.#awaitFormulas.delete(hear);
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

  /** Only the text that is being rendered uses up its time: the others wait for it. Loading is no text's time. */
  #watchFirst(): void {
    clearTimeout(this.#timer);
    if (this.#asked.size > 0) this.#timer = setTimeout(() => this.#giveUp('time'), timeoutMilliseconds);
  }

  #listenTo(worker: Worker): void {
    worker.addEventListener('message', ({ data }: MessageEvent<PreviewAnswer | PreviewNews>) => {
      // What one that was replaced still says belongs to texts that the other answers.
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
    for (const hear of this.#awaitFormulas) hear();
  }

  /** By one that is loaded and can draw formulas. It has to know all texts that are not answered yet. */
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
