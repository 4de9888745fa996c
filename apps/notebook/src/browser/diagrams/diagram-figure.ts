import type { Drawn, Scheme } from './drawing.ts';

/** Wider diagrams scroll on a phone, because shrunk to its width they would be unreadable. */
const wideFrom = 640;

function picture({ svg, width, height, name }: Drawn, scheme: Scheme): HTMLImageElement {
  const image = new Image(Math.ceil(width), Math.ceil(height));
  image.className = `diagram-${scheme}${width > wideFrom ? ' diagram-wide' : ''}`;
  image.alt = `Diagram: ${name}`;
  image.decoding = 'sync';
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  return image;
}

/** Keeps the source at hand, because a picture tells little to people who cannot see it. */
function emptyFigure(source: string): HTMLElement {
  const code = document.createElement('code');
  code.textContent = source;
  const pre = document.createElement('pre');
  pre.append(code);
  const summary = document.createElement('summary');
  summary.textContent = 'Source of the diagram';
  const details = document.createElement('details');
  details.append(summary, pre);
  const figure = document.createElement('figure');
  figure.className = 'diagram';
  figure.append(details);
  return figure;
}

/** A drawn diagram in one color scheme or both, for every place it has in the page. The style sheet shows the fitting one. */
export class DiagramFigure {
  readonly #source: string;
  readonly #pictures = new Map<Scheme, HTMLImageElement>();
  readonly #elements: HTMLElement[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  has(scheme: Scheme): boolean {
    return this.#pictures.has(scheme);
  }

  get isEmpty(): boolean {
    return this.#pictures.size === 0;
  }

  get isShown(): boolean {
    return this.#elements.some(element => element.isConnected);
  }

  add(drawn: Drawn, scheme: Scheme): void {
    const made = picture(drawn, scheme);
    this.#pictures.set(scheme, made);
    for (const element of this.#elements) element.prepend(made.cloneNode());
  }

  /** Reuses an element that was removed when the text was rendered again, so that it does not flicker; else makes one. */
  take(): HTMLElement {
    const free = this.#elements.find(element => !element.isConnected);
    if (free) return free;
    const made = emptyFigure(this.#source);
    for (const image of this.#pictures.values()) made.prepend(image.cloneNode());
    this.#elements.push(made);
    return made;
  }
}
