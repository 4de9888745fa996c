import { DiagramFigure } from './diagram-figure.ts';
import type { Scheme } from './drawing.ts';
import type { DrawingFrame } from './drawing-frame.ts';
import { pageScheme } from './page-scheme.ts';

/** The block with its copy button, if there is one: over a picture the button would only be in the way. */
const wholeBlock = (block: HTMLElement): HTMLElement => block.closest<HTMLElement>('.code-box') ?? block;

/** Shows the problem above the source, which stays visible. */
function refuse(block: HTMLElement, problem: string): void {
  const whole = wholeBlock(block);
  if (whole.previousElementSibling?.className === 'diagram-problem') return;
  const note = document.createElement('p');
  note.className = 'diagram-problem';
  // The first line of the engine's message says what is wrong; the rest marks where.
  note.textContent = `This diagram cannot be drawn: ${problem.split('\n')[0]!.replace(/:$/, '')}.`;
  whole.before(note);
}

/** A diagram source, drawn once per color scheme and shown wherever the page has it. */
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

  /** Replaces the source by its drawing, at once if that is already known. */
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

  /** Draws the scheme the reader sees first, then the light one, because paper is light. */
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

  /** The blocks still waiting. A preview may have written another text into a block that waits for the drawing of an earlier one. */
  get #blocks(): HTMLElement[] {
    return this.#waiting.filter(block => block.isConnected && block.textContent === this.#source);
  }
}
