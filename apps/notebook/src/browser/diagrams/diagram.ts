import { DiagramFigure } from './diagram-figure.ts';
import type { Scheme } from './drawing.ts';
import type { DrawingFrame } from './drawing-frame.ts';
import { pageScheme } from './page-scheme.ts';

/** The block, with the button that copies it where there is one: over a picture it would only be in the way. */
const wholeBlock = (block: HTMLElement): HTMLElement => block.closest<HTMLElement>('.code-box') ?? block;

/** Said above the source, which stays what is shown. */
function refuse(block: HTMLElement, problem: string): void {
  const whole = wholeBlock(block);
  if (whole.previousElementSibling?.className === 'diagram-problem') return;
  const note = document.createElement('p');
  note.className = 'diagram-problem';
  // The engine's messages go on with a drawing of where; the first line says what.
  note.textContent = `This diagram cannot be drawn: ${problem.split('\n')[0]!.replace(/:$/, '')}.`;
  whole.before(note);
}

/** One source: drawn once for each scheme, shown wherever the page has it. */
export class Diagram {
  readonly #source: string;
  readonly #frame: DrawingFrame;
  readonly #figure: DiagramFigure;
  #waiting: HTMLElement[] = [];
  #problem: string | undefined;
  #work: Promise<void> | undefined;

  constructor(source: string, frame: DrawingFrame) {
    this.#source = source;
    this.#frame = frame;
    this.#figure = new DiagramFigure(source);
  }

  get isShown(): boolean {
    return this.#figure.isShown;
  }

  /** Puts the drawing in the place of its source, at once when it is known. */
  replace(block: HTMLElement): Promise<void> {
    this.#waiting.push(block);
    if (this.#problem !== undefined || !this.#figure.isEmpty) this.#settle();
    return this.complete();
  }

  complete(): Promise<void> {
    this.#work ??= this.#drawAll().finally(() => {
      this.#work = undefined;
    });
    return this.#work;
  }

  /** What the reader looks at first; then the light one, because paper is light. */
  async #drawAll(): Promise<void> {
    for (const scheme of new Set<Scheme>([pageScheme(), 'light'])) {
      if (this.#figure.has(scheme) || this.#problem !== undefined) continue;
      const isWanted = () => this.isShown || this.#blocks.length > 0;
      const answer = await this.#frame.draw(this.#source, scheme, isWanted);
      if (!answer) return;
      if (!('problem' in answer)) this.#figure.add(answer, scheme);
      else if (this.#figure.isEmpty) this.#problem = answer.problem;
      this.#settle();
    }
  }

  #settle(): void {
    for (const block of this.#blocks) {
      if (this.#problem !== undefined) refuse(block, this.#problem);
      else wholeBlock(block).replaceWith(this.#figure.take());
    }
    this.#waiting = [];
  }

  /** A preview writes the next text into the block that waits for the drawing of the one before. */
  get #blocks(): HTMLElement[] {
    return this.#waiting.filter(block => block.isConnected && block.textContent === this.#source);
  }
}
