import { DiagramFigure } from './diagram-figure.ts';
import { type Scheme, unloaded } from './drawing.ts';
import type { DrawingFrame } from './drawing-frame.ts';
import { pageScheme } from './page-scheme.ts';

/** The block with its copy button, if there is one: over a picture the button would only be in the way. */
const wholeBlock = (block: HTMLElement): HTMLElement => block.closest<HTMLElement>('.code-box') ?? block;

function noteOf(block: HTMLElement): HTMLElement | undefined {
  const note = wholeBlock(block).previousElementSibling;
  return note?.className === 'diagram-problem' ? (note as HTMLElement) : undefined;
}

/** @param again tries once more to draw what did not load */
function againButton(note: HTMLElement, again: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button';
  button.addEventListener('click', () => {
    note.role = 'status';
    button.textContent = 'Trying again…';
    again();
  });
  note.replaceChildren('This diagram can’t be drawn now, because what draws it didn’t load. ', button);
  return button;
}

/** Shows the problem above the source, which stays visible. */
function refuse(block: HTMLElement, problem: string, again: () => void): void {
  const note = noteOf(block) ?? document.createElement('p');
  note.className = 'diagram-problem';
  if (problem === unloaded) (note.querySelector('button') ?? againButton(note, again)).textContent = 'Try again';
  // The first line of the engine's message says what is wrong; the rest marks where.
  else note.textContent = `This diagram cannot be drawn: ${problem.split('\n')[0]!.replace(/[.:]$/, '')}.`;
  if (!note.isConnected) wholeBlock(block).before(note);
}

/** Replaces the source, and the note about it if there is one, by the drawing. */
function show(block: HTMLElement, figure: HTMLElement): void {
  const note = noteOf(block);
  wholeBlock(block).replaceWith(figure);
  if (note?.matches(':focus-within')) figure.querySelector('summary')!.focus();
  note?.remove();
}

/** A diagram source, drawn once per color scheme and shown wherever the page has it. */
export class Diagram {
  readonly #source: string;
  readonly #frame: DrawingFrame;
  readonly #figure: DiagramFigure;
  readonly #againAll: () => void;
  #waiting: HTMLElement[] = [];
  #problem: string | undefined;
  #work: Promise<void> | undefined;
  #askedAgain = false;

  /** @param againAll calls `again` of every diagram of the page, because what did not load is the same for all */
  constructor(source: string, frame: DrawingFrame, againAll: () => void) {
    this.#source = source;
    this.#frame = frame;
    this.#againAll = againAll;
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

  /** Tries once more if the engine did not load, or if the try that goes on ends that way. */
  again(): void {
    this.#askedAgain = this.#work !== undefined;
    if (this.#askedAgain || this.#problem !== unloaded) return;
    this.#problem = undefined;
    void this.complete();
  }

  complete(): Promise<void> {
    this.#work ??= this.#drawAll().finally(() => {
      this.#work = undefined;
      if (this.#askedAgain) this.again();
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
      if (this.#problem !== undefined) refuse(block, this.#problem, this.#againAll);
      else show(block, this.#figure.take());
    }
    this.#waiting = this.#problem === unloaded ? this.#blocks : [];
  }

  /** The blocks still waiting. A preview may have written another text into a block that waits for the drawing of an earlier one. */
  get #blocks(): HTMLElement[] {
    return this.#waiting.filter(block => block.isConnected && block.textContent === this.#source);
  }
}
