import type { Splice } from '../../markdown/live/splices.ts';
import { trustRenderedHtml } from '../device/trusted-types.ts';
import { Chunks } from './chunks.ts';
import { lastWhere } from './last-where.ts';
import { patchNodes } from './patch-nodes.ts';
import { blockRemoteImages } from './remote-images.ts';

/** How long a step may take, so that keys never wait. */
const stepMilliseconds = 8;
/** From this many parts on, content out of view is not laid out. */
export const manyParts = 200;

/** The preview's content as separate parts, so that a change touches only the parts that changed. */
export class ShownParts {
  /** The source line of each part. */
  lines: Uint32Array = new Uint32Array();
  readonly #place: HTMLElement;
  /** An empty comment before each part. The nodes up to the next comment are the part, even if another node has replaced one of them. */
  #heads: Comment[] = [];
  /** Only set for a long page. */
  #chunks: Chunks | undefined;

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  get count(): number {
    return this.#heads.length;
  }

  /** The first element of a part, if it has one. */
  elementOf(part: number): HTMLElement | undefined {
    for (const element of this.elementsOf(part)) return element;
    return undefined;
  }

  *elementsOf(part: number): Iterable<HTMLElement> {
    const end = this.#heads[part + 1] ?? null;
    for (let node = this.#heads[part]?.nextSibling; node && node !== end; node = node.nextSibling)
      if (node instanceof HTMLElement) yield node;
  }

  /** The last part that begins at or above a height of the window, or shows nothing; -1 if none does. */
  lastAbove(y: number): number {
    // Measuring a part in a box out of view would lay out that box.
    const { first, size } = this.#chunks?.at(y) ?? { first: 0, size: this.count };
    const within = lastWhere(size, part => {
      const element = this.elementOf(first + part);
      return element === undefined || element.getBoundingClientRect().top <= y;
    });
    return first + within;
  }

  clear(): void {
    this.#heads = [];
    this.#chunks = undefined;
    this.#place.replaceChildren();
  }

  /** Shows an element instead of all parts. Call `clear` before showing parts again. */
  showAlone(element: HTMLElement): void {
    const head = document.createComment('');
    this.clear();
    this.#place.append(head, element);
    this.#heads = [head];
    this.lines = Uint32Array.of(1);
  }

  /** Applies the changes in steps short enough to let keys in between. @returns false when `shouldContinue` stopped it */
  async apply(splices: readonly Splice[], shouldContinue: () => boolean): Promise<boolean> {
    let until = performance.now() + stepMilliseconds;
    const pauseIfDue = async (): Promise<boolean> => {
      if (performance.now() < until) return shouldContinue();
      await nextFrame();
      until = performance.now() + stepMilliseconds;
      return shouldContinue();
    };
    // Chunks are made before the parts are inserted; otherwise each step would lay out everything inserted so far.
    const count = splices.reduce((sum, { remove, insert }) => sum + insert.length - remove, this.count);
    if (count > manyParts && !this.#chunks) this.#chunk();
    for (const { at, remove, insert } of splices) {
      const patched = Math.min(remove, insert.length);
      for (let left = remove - patched; left > 0; left -= 1) {
        this.#remove(at + patched);
        if (!(await pauseIfDue())) return false;
      }
      for (const [offset, html] of insert.entries()) {
        if (offset < patched) this.#patch(at + offset, html);
        else this.#insert(at + offset, html);
        if (!(await pauseIfDue())) return false;
      }
    }
    this.#chunks?.splitLarge(this.#heads);
    return true;
  }

  /** Divides a page that has become long. */
  #chunk(): void {
    this.#chunks = new Chunks(this.#place);
    const shown = this.#heads.map((_, at) => this.#nodesOf(at));
    for (const [at, nodes] of shown.entries()) {
      const part = document.createDocumentFragment();
      part.append(...nodes);
      this.#chunks.insert(part, this.#heads[at - 1], undefined);
    }
  }

  #nodesOf(at: number): ChildNode[] {
    const nodes: ChildNode[] = [];
    const end = this.#heads[at + 1];
    for (let node: ChildNode | null = this.#heads[at]!; node && node !== end; node = node.nextSibling) nodes.push(node);
    return nodes;
  }

  #patch(at: number, html: string): void {
    const [head, ...shown] = this.#nodesOf(at);
    const next = this.#heads[at + 1];
    const parent = head!.parentNode!;
    patchNodes(parent, shown, [...readPart(html).childNodes], next?.parentNode === parent ? next : null);
  }

  #insert(at: number, html: string): void {
    const part = readPart(html);
    const head = document.createComment('');
    part.prepend(head);
    if (this.#chunks) this.#chunks.insert(part, this.#heads[at - 1], this.#heads[at]);
    else this.#place.insertBefore(part, this.#heads[at] ?? null);
    this.#heads.splice(at, 0, head);
  }

  #remove(at: number): void {
    const nodes = this.#nodesOf(at);
    const box = nodes[0]!.parentElement!;
    for (const node of nodes.reverse()) node.remove();
    this.#heads.splice(at, 1);
    this.#chunks?.removed(box);
  }
}

/** Reads a part outside the document, so that nothing in it is fetched yet. */
function readPart(html: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = trustRenderedHtml(html);
  blockRemoteImages(template.content);
  return template.content;
}

/** Waits for the next frame, or only a moment in hidden windows, which get no frames. */
function nextFrame(): Promise<void> {
  return new Promise(resolve => {
    if (document.visibilityState === 'visible') requestAnimationFrame(() => setTimeout(resolve));
    else setTimeout(resolve);
  });
}
