import { markScrollBoxesIn } from '../scroll-boxes.ts';
import type { ShownParts } from './shown-parts.ts';

/** After the last key or the last bit of scrolling. */
const restMilliseconds = 200;

/**
 * As `watchScrollBoxes`, but of what is in sight and when there is time: a long page has thousands of tables and listings, and
 * watching each would cost more at every key than drawing what changed.
 */
export class VisibleScrollBoxes {
  readonly #pane: HTMLElement;
  readonly #shown: ShownParts;
  readonly #resized: ResizeObserver;
  readonly #ending = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param pane the box that scrolls */
  constructor(pane: HTMLElement, shown: ShownParts) {
    this.#pane = pane;
    this.#shown = shown;
    // Shown late (a phone's "Read"), dragged wider, turned: what overflows is not what did before.
    this.#resized = new ResizeObserver(() => this.look());
    this.#resized.observe(pane);
    pane.addEventListener('scroll', () => this.look(), { passive: true, signal: this.#ending.signal });
  }

  look(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#mark(), restMilliseconds);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#ending.abort();
    this.#resized.disconnect();
  }

  #mark(): void {
    const { top, bottom } = this.#pane.getBoundingClientRect();
    if (bottom <= top) return;
    const last = this.#shown.lastAbove(bottom);
    for (let part = Math.max(0, this.#shown.lastAbove(top)); part <= last; part += 1)
      for (const element of this.#shown.elementsOf(part)) markScrollBoxesIn(element);
  }
}
