import type { PreviewAnswer } from '../../markdown/preview-worker.ts';
import type { PlainReason } from '../../markdown/rendered.ts';
import { type PreviewFault, previewEngine } from './preview-engine.ts';
import { ShownParts } from './shown-parts.ts';
import { VisibleScrollBoxes } from './visible-scroll-boxes.ts';

/** Why readers see, or may see, something else than the preview. */
export type PreviewNotice = PlainReason | PreviewFault | 'slow';

export interface PreviewParts {
  readonly pageId: string;
  readonly place: HTMLElement;
  /** The scrolling element around the place. */
  readonly pane: HTMLElement;
  /** Returns the current text. Called only when there is time to render it. */
  readonly read: () => string;
  readonly notice: (reason: PreviewNotice | undefined) => void;
  /** Called whenever something new is shown. */
  readonly drawn: () => void;
}

/** Shows the newest text as it will look. Typing never waits: changes during a rendering only mark that another one is due. */
export class Preview {
  readonly shown: ShownParts;
  readonly #parts: PreviewParts;
  readonly #boxes: VisibleScrollBoxes;
  #busy = false;
  #due = false;
  #closed = false;
  #isUnloaded = false;
  #formulasMissing = false;
  readonly #stopListening: () => void;

  constructor(parts: PreviewParts) {
    this.#parts = parts;
    this.shown = new ShownParts(parts.place);
    this.#boxes = new VisibleScrollBoxes(parts.pane, this.shown);
    this.#stopListening = previewEngine.onFormulasLoaded(() => {
      if (this.#formulasMissing) this.changed();
    });
  }

  /** Call this when the text has changed. */
  changed(): void {
    this.#due = true;
    if (!this.#busy) void this.#run();
  }

  /** Tries again after the worker could not be loaded. */
  tryAgain(): void {
    this.#isUnloaded = false;
    this.#parts.notice(undefined);
    this.changed();
  }

  close(): void {
    this.#closed = true;
    this.#boxes.close();
    this.#stopListening();
    previewEngine.forget(this.#parts.pageId);
  }

  async #run(): Promise<void> {
    this.#busy = true;
    while (this.#due && !this.#closed) {
      this.#due = false;
      const markdown = this.#parts.read();
      // If the worker could not be loaded a moment ago, it is not tried again at each key.
      const answer = this.#isUnloaded ? 'unloaded' : await previewEngine.ask(this.#parts.pageId, markdown);
      if (this.#closed) break;
      if (typeof answer === 'string') this.#showPlain(markdown, answer);
      else await this.#draw(answer);
      this.#parts.drawn();
    }
    this.#busy = false;
  }

  async #draw(answer: PreviewAnswer): Promise<void> {
    this.#formulasMissing = answer.formulasMissing;
    if (answer.fresh) this.shown.clear();
    const { place, notice } = this.#parts;
    if (!(await this.shown.apply(answer.splices, () => !this.#closed))) return;
    this.shown.lines = answer.lines;
    this.#boxes.markLater();
    if (answer.diagrams) void import('../diagrams/later.ts').then(({ showDiagrams }) => showDiagrams(place));
    // For benchmarks and tests: how much was rendered for this text.
    place.dataset.made = String(answer.made);
    notice(answer.plain ?? (answer.slow ? 'slow' : undefined));
  }

  /** Shows the text as it was written. */
  #showPlain(markdown: string, fault: PreviewFault): void {
    this.#isUnloaded = fault === 'unloaded';
    const plain = document.createElement('pre');
    plain.textContent = markdown;
    this.shown.showAlone(plain);
    this.#boxes.markLater();
    this.#parts.notice(fault);
  }
}
