import type { PreviewAnswer } from '../../markdown/preview-worker.ts';
import type { PlainReason } from '../../markdown/rendered.ts';
import { type PreviewFault, previewEngine } from './preview-engine.ts';
import { ShownParts } from './shown-parts.ts';
import { VisibleScrollBoxes } from './visible-scroll-boxes.ts';

/** Why a preview is not what readers see, or they may see something else. */
export type PreviewNotice = PlainReason | PreviewFault | 'slow';

export interface PreviewParts {
  readonly pageId: string;
  readonly place: HTMLElement;
  /** What scrolls around the place. */
  readonly pane: HTMLElement;
  /** The text as it is now. Asked only when there is time to render it. */
  readonly read: () => string;
  readonly notice: (reason: PreviewNotice | undefined) => void;
  /** Called each time something new is shown. */
  readonly drawn: () => void;
}

/** Shows the newest text as it will look. Typing never waits: while one text is rendered, others only make a next time due. */
export class Preview {
  readonly shown: ShownParts;
  readonly #parts: PreviewParts;
  readonly #boxes: VisibleScrollBoxes;
  #busy = false;
  #due = false;
  #closed = false;
  #isUnloaded = false;
  #formulasMissing = false;
  readonly #stopAwaiting: () => void;

  constructor(parts: PreviewParts) {
    this.#parts = parts;
    this.shown = new ShownParts(parts.place);
    this.#boxes = new VisibleScrollBoxes(parts.pane, this.shown);
    this.#stopAwaiting = previewEngine.whenFormulasCome(() => {
      if (this.#formulasMissing) this.changed();
    });
  }

  /** The text has changed. */
  changed(): void {
    this.#due = true;
    if (!this.#busy) void this.#run();
  }

  /** After the worker could not be loaded. */
  tryAgain(): void {
    this.#isUnloaded = false;
    this.#parts.notice(undefined);
    this.changed();
  }

  close(): void {
    this.#closed = true;
    this.#boxes.close();
    this.#stopAwaiting();
    previewEngine.forget(this.#parts.pageId);
  }

  async #run(): Promise<void> {
    this.#busy = true;
    while (this.#due && !this.#closed) {
      this.#due = false;
      const markdown = this.#parts.read();
      // Not with each key, when it could not be loaded a moment ago.
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
    this.#boxes.look();
    if (answer.diagrams) void import('../diagrams/later.ts').then(({ showDiagrams }) => showDiagrams(place));
    // For whoever measures or tests: what this text cost.
    place.dataset.made = String(answer.made);
    notice(answer.plain ?? (answer.slow ? 'slow' : undefined));
  }

  /** The text is shown as it was written. */
  #showPlain(markdown: string, fault: PreviewFault): void {
    this.#isUnloaded = fault === 'unloaded';
    const plain = document.createElement('pre');
    plain.textContent = markdown;
    this.shown.showAlone(plain);
    this.#boxes.look();
    this.#parts.notice(fault);
  }
}
