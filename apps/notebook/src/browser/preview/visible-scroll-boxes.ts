import { markScrollBoxesIn } from '../ui/scroll-boxes.ts';
import { manyParts, type ShownParts } from './shown-parts.ts';

/** The pause after the last key or scroll. */
const restMilliseconds = 200;

/**
 * Like `watchScrollBoxes`, but on a long page only for visible boxes, and when there is time. Such a page has thousands of tables and code
 * blocks, and watching each would cost more at every key than rendering the change.
 */
export class VisibleScrollBoxes {
  readonly #pane: HTMLElement;
  readonly #shown: ShownParts;
  readonly #resized: ResizeObserver;
  readonly #ending = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether there was anything to mark yet. */
  #marked = false;

  /** @param pane the box that scrolls */
  constructor(pane: HTMLElement, shown: ShownParts) {
    this.#pane = pane;
    this.#shown = shown;
    // A pane that is shown late (a phone's "Read"), resized or turned has other overflows. It was just laid out, so measuring is cheap.
    this.#resized = new ResizeObserver(() => this.#mark());
    this.#resized.observe(pane);
    pane.addEventListener('scroll', () => this.markLater(), { passive: true, signal: this.#ending.signal });
  }

  markLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#mark(), this.#marked ? restMilliseconds : 0);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#ending.abort();
    this.#resized.disconnect();
  }

  #mark(): void {
    const { top, bottom } = this.#pane.getBoundingClientRect();
    if (bottom <= top || this.#shown.count === 0) return;
    this.#marked = true;
    const all = this.#shown.count <= manyParts;
    const first = all ? 0 : Math.max(0, this.#shown.lastAbove(top));
    const last = all ? this.#shown.count - 1 : this.#shown.lastAbove(bottom);
    for (let part = first; part <= last; part += 1)
      for (const element of this.#shown.elementsOf(part)) markScrollBoxesIn(element);
  }
}
