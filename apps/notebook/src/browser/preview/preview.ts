import type { PreviewAnswer } from '../../markdown/preview-worker.ts';
import type { PlainReason } from '../../markdown/rendered.ts';
import { previewEngine } from './preview-engine.ts';
import { ShownParts } from './shown-parts.ts';
import { VisibleScrollBoxes } from './visible-scroll-boxes.ts';

export interface PreviewParts {
  readonly pageId: string;
  readonly place: HTMLElement;
  /** What scrolls around the place. */
  readonly pane: HTMLElement;
  /** The text as it is now. Asked only when there is time to render it. */
  readonly read: () => string;
  readonly notice: (reason: PlainReason | undefined) => void;
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

  constructor(parts: PreviewParts) {
    this.#parts = parts;
    this.shown = new ShownParts(parts.place);
    this.#boxes = new VisibleScrollBoxes(parts.pane, this.shown);
  }

  /** The text has changed. */
  changed(): void {
    this.#due = true;
    if (!this.#busy) void this.#run();
  }

  close(): void {
    this.#closed = true;
    this.#boxes.close();
    previewEngine.forget(this.#parts.pageId);
  }

  async #run(): Promise<void> {
    this.#busy = true;
    while (this.#due && !this.#closed) {
      this.#due = false;
      const markdown = this.#parts.read();
      const answer = await previewEngine.ask(this.#parts.pageId, markdown);
      if (this.#closed) break;
      if (answer) await this.#draw(answer);
      else this.#showPlain(markdown);
      this.#parts.drawn();
    }
    this.#busy = false;
  }

  async #draw(answer: PreviewAnswer): Promise<void> {
    if (answer.fresh) this.shown.clear();
    const { place, notice } = this.#parts;
    if (!(await this.shown.apply(answer.splices, () => !this.#closed))) return;
    this.shown.lines = answer.lines;
    this.#boxes.look();
    if (answer.diagrams) void import('../diagrams/later.ts').then(({ showDiagrams }) => showDiagrams(place));
    // For whoever measures or tests: what this text cost.
    place.dataset.made = String(answer.made);
    notice(answer.plain);
  }

  /** The worker hung or died: the text is shown as it was written. */
  #showPlain(markdown: string): void {
    const plain = document.createElement('pre');
    plain.textContent = markdown;
    this.shown.showAlone(plain);
    this.#boxes.look();
    this.#parts.notice('time');
  }
}
