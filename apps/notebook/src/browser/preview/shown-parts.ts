import type { Splice } from '../../markdown/live/splices.ts';
import { trustRenderedHtml } from '../device/trusted-types.ts';
import { Chunks } from './chunks.ts';
import { lastWhere } from './last-where.ts';
import { patchNodes } from './patch-nodes.ts';
import { holdRemoteImages } from './remote-images.ts';

/** What one step may take of a frame, so that keys are never kept waiting. */
const stepMilliseconds = 8;
/** From here on what is out of sight is not laid out. */
export const manyParts = 200;

/** The preview's content as the parts it was made of, so that a change touches only what changed. */
export class ShownParts {
  /** The source line of each part. */
  lines: Uint32Array = new Uint32Array();
  readonly #place: HTMLElement;
  /** An empty comment before each part. What stands up to the next is the part, also where something else took a node's place. */
  #heads: Comment[] = [];
  /** Only of a long page. */
  #chunks: Chunks | undefined;

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  get count(): number {
    return this.#heads.length;
  }

  /** The first element of a part, if it shows one. */
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
    // Asking a part of a box that is out of sight would lay the box out.
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

  /** In the place of all parts, as one of them. What is shown next begins with `clear`. */
  showAlone(element: HTMLElement): void {
    const head = document.createComment('');
    this.clear();
    this.#place.append(head, element);
    this.#heads = [head];
    this.lines = Uint32Array.of(1);
  }

  /** Makes the changes, in steps short enough for keys to come between. @returns false when `goesOn` ended it */
  async apply(splices: readonly Splice[], goesOn: () => boolean): Promise<boolean> {
    let until = performance.now() + stepMilliseconds;
    const breathe = async (): Promise<boolean> => {
      if (performance.now() < until) return goesOn();
      await nextFrame();
      until = performance.now() + stepMilliseconds;
      return goesOn();
    };
    // Before they are put in: or each step would lay out all that came with the ones before.
    const count = splices.reduce((sum, { remove, insert }) => sum + insert.length - remove, this.count);
    if (count > manyParts && !this.#chunks) this.#chunk();
    for (const { at, remove, insert } of splices) {
      const patched = Math.min(remove, insert.length);
      for (let left = remove - patched; left > 0; left -= 1) {
        this.#remove(at + patched);
        if (!(await breathe())) return false;
      }
      for (const [offset, html] of insert.entries()) {
        if (offset < patched) this.#patch(at + offset, html);
        else this.#insert(at + offset, html);
        if (!(await breathe())) return false;
      }
    }
    this.#chunks?.even(this.#heads);
    return true;
  }

  /** The page has become a long one. */
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

/** Not in the document yet, so nothing of it has been fetched. */
function readPart(html: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = trustRenderedHtml(html);
  holdRemoteImages(template.content);
  return template.content;
}

/** Not in hidden windows, where no frame comes: there a moment does. */
function nextFrame(): Promise<void> {
  return new Promise(resolve => {
    if (document.visibilityState === 'visible') requestAnimationFrame(() => setTimeout(resolve));
    else setTimeout(resolve);
  });
}
