import { markScrollBox } from '../scroll-boxes.ts';

/**
 * As `watchScrollBoxes`, but of what is in sight: a long page has thousands of tables and listings, and measuring each after every
 * key would cost more than drawing them.
 */
export class VisibleScrollBoxes {
  readonly #place: HTMLElement;
  readonly #seen = new Set<HTMLElement>();
  readonly #watched = new WeakSet<Element>();
  readonly #sight: IntersectionObserver;
  readonly #resized: ResizeObserver;

  constructor(place: HTMLElement) {
    this.#place = place;
    this.#sight = new IntersectionObserver(entries => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting || !target.isConnected) this.#seen.delete(target as HTMLElement);
        else {
          this.#seen.add(target as HTMLElement);
          markScrollBox(target as HTMLElement);
        }
      }
    });
    // Shown late (a phone's "Read"), dragged wider, turned: what overflows is not what did before.
    this.#resized = new ResizeObserver(() => this.#seen.forEach(markScrollBox));
    this.#resized.observe(place);
  }

  /** Finds the boxes that are new, and measures those in sight again: their text may have changed. */
  look(): void {
    requestAnimationFrame(() => this.#seen.forEach(markScrollBox));
    for (const box of this.#place.querySelectorAll('pre, table')) {
      if (this.#watched.has(box)) continue;
      this.#watched.add(box);
      this.#sight.observe(box);
    }
  }

  close(): void {
    this.#sight.disconnect();
    this.#resized.disconnect();
  }
}
