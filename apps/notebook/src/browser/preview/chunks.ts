/** Enough that the browser checks few boxes in each frame, few enough that one is laid out quickly. */
const partsInChunk = 40;

/**
 * Boxes that each hold several parts of a long page. The browser does not lay out boxes that are out of view (`content-visibility`), but
 * in every frame it checks each box for that. With one box per part this would cost more than it saves.
 */
export class Chunks {
  readonly #place: HTMLElement;
  readonly #sizes = new Map<HTMLElement, number>();

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  /** Inserts a part between two others. @param before the head of the previous part, `next` that of the following one */
  insert(part: DocumentFragment, before: Comment | undefined, next: Comment | undefined): void {
    let box = (before ?? next)?.parentElement ?? this.#begin(null);
    const within = next?.parentElement === box;
    if (!within && this.#sizeOf(box) >= partsInChunk) box = this.#begin(box.nextSibling);
    box.insertBefore(part, within ? next : null);
    this.#sizes.set(box, this.#sizeOf(box) + 1);
  }

  /** Call this when a part of the box was removed. */
  removed(box: HTMLElement): void {
    const size = this.#sizeOf(box) - 1;
    this.#sizes.set(box, size);
    if (size > 0) return;
    box.remove();
    this.#sizes.delete(box);
  }

  /** Finds the box at a height of the window. @returns the index of its first part, and how many it has */
  at(y: number): { first: number; size: number } {
    let first = 0;
    let found = { first: 0, size: 0 };
    for (const box of this.#place.children) {
      if (box.getBoundingClientRect().top > y) break;
      found = { first, size: this.#sizeOf(box as HTMLElement) };
      first += found.size;
    }
    return found;
  }

  /** Splits boxes that have grown too large. @param heads those of all parts, in order */
  splitLarge(heads: readonly Comment[]): void {
    if (Math.max(0, ...this.#sizes.values()) < 2 * partsInChunk) return;
    let size = 0;
    for (const head of heads) {
      const box = head.parentElement!;
      if (this.#sizeOf(box) < 2 * partsInChunk) continue;
      size = box.firstChild === head ? 0 : size + 1;
      if (size !== partsInChunk) continue;
      const rest = this.#begin(box.nextSibling);
      this.#sizes.set(rest, this.#sizeOf(box) - size);
      this.#sizes.set(box, size);
      for (let node: ChildNode | null = head; node; ) {
        const following: ChildNode | null = node.nextSibling;
        rest.append(node);
        node = following;
      }
      size = 0;
    }
  }

  #begin(next: ChildNode | null): HTMLElement {
    const box = document.createElement('div');
    box.className = 'chunk';
    this.#place.insertBefore(box, next);
    this.#sizes.set(box, 0);
    return box;
  }

  #sizeOf(box: HTMLElement): number {
    return this.#sizes.get(box) ?? 0;
  }
}
