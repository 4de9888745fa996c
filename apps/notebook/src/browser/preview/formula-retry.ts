import type { FormulasRequest, PreviewNews } from '../../markdown/preview-worker.ts';
import { launchPreviewWorker } from './launch-preview-worker.ts';

const betweenTriesMilliseconds = 20_000;

/**
 * Loads the formula engine again if it failed to load. Chromium and Firefox request a module once per worker and remember the
 * failure, so only another worker can request it again. The current worker goes on without formulas until the other has the engine.
 */
export class FormulaRetry {
  readonly #take: (worker: Worker) => void;
  #spare: Worker | undefined;
  /** When the engine was last requested, as in `performance.now()`. Undefined when it is not missing. */
  #triedAt: number | undefined;

  /** @param take receives a loaded worker that has the engine */
  constructor(take: (worker: Worker) => void) {
    this.#take = take;
  }

  /** Call this when the current worker has just failed to load the engine. */
  start(): void {
    this.#triedAt ??= performance.now();
  }

  /** Call this when nothing is missing any more. */
  stop(): void {
    this.#triedAt = undefined;
    this.#dropSpare();
  }

  /** Called with each text, so that an idle window requests nothing. */
  tryWhenDue(): void {
    if (this.#triedAt === undefined || performance.now() - this.#triedAt < betweenTriesMilliseconds) return;
    this.#triedAt = performance.now();
    this.#dropSpare();
    const spare = launchPreviewWorker();
    this.#spare = spare;
    const hearing = new AbortController();
    const { signal } = hearing;
    spare.addEventListener(
      'message',
      ({ data }: MessageEvent<PreviewNews>) => {
        if (data === 'ready' || spare !== this.#spare) return;
        hearing.abort();
        if (data === 'no formulas') return this.#dropSpare();
        this.#spare = undefined;
        this.#take(spare);
      },
      { signal },
    );
    spare.addEventListener(
      'error',
      () => {
        if (spare === this.#spare) this.#dropSpare();
      },
      { signal },
    );
    spare.postMessage('fetch formulas' satisfies FormulasRequest);
  }

  #dropSpare(): void {
    this.#spare?.terminate();
    this.#spare = undefined;
  }
}
