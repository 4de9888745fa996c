import type { FormulasRequest, PreviewNews } from '../../markdown/preview-worker.ts';
import { launchPreviewWorker } from './launch-preview-worker.ts';

const betweenTriesMilliseconds = 20_000;

/**
 * Fetches the engine of formulas again where it did not come. Chromium and Firefox ask for a module once for each worker and keep the
 * failure, so that only another worker can ask again. The one at work goes on without formulas until the other has the engine.
 */
export class FormulaRetry {
  readonly #take: (worker: Worker) => void;
  #spare: Worker | undefined;
  /** When the engine was last asked for, in milliseconds of this window; undefined: it is not missing. */
  #triedAt: number | undefined;

  /** @param take gets a worker that is loaded and has the engine */
  constructor(take: (worker: Worker) => void) {
    this.#take = take;
  }

  /** The worker at work has just asked for the engine. */
  start(): void {
    this.#triedAt ??= performance.now();
  }

  /** Nothing is missing. */
  stop(): void {
    this.#triedAt = undefined;
    this.#dropSpare();
  }

  /** Called with each text: in a window where nobody writes nothing is fetched. */
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
