import type { Splice } from '../../markdown/live/splices.ts';
import { trustRenderedHtml } from '../trusted-types.ts';
import { patchNodes } from './patch-nodes.ts';
import { holdRemoteImages } from './remote-images.ts';

/** What one step may take of a frame, so that keys are never kept waiting. */
const stepMilliseconds = 8;
/** From here on what is out of sight is not laid out. */
const manyParts = 500;

/** The preview's content as the parts it was made of, so that a change touches only what changed. */
export class ShownParts {
  /** The source line of each part. */
  lines: Uint32Array = new Uint32Array();
  readonly #place: HTMLElement;
  /** An empty comment before each part. What stands up to the next is the part, also where something else took a node's place. */
  #heads: Comment[] = [];

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  get count(): number {
    return this.#heads.length;
  }

  /** The first element of a part, if it shows one. */
  elementOf(part: number): HTMLElement | undefined {
    const end = this.#heads[part + 1] ?? null;
    for (let node = this.#heads[part]?.nextSibling; node && node !== end; node = node.nextSibling)
      if (node instanceof HTMLElement) return node;
    return undefined;
  }

  clear(): void {
    this.#heads = [];
    this.#place.replaceChildren();
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
    this.#place.classList.toggle('many-parts', count > manyParts);
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
    return true;
  }

  #patch(at: number, html: string): void {
    const end = this.#heads[at + 1] ?? null;
    const shown: Node[] = [];
    for (let node = this.#heads[at]!.nextSibling; node && node !== end; node = node.nextSibling) shown.push(node);
    patchNodes(this.#place, shown, [...readPart(html).childNodes], end);
  }

  #insert(at: number, html: string): void {
    const part = readPart(html);
    const head = document.createComment('');
    part.prepend(head);
    this.#place.insertBefore(part, this.#heads[at] ?? null);
    this.#heads.splice(at, 0, head);
  }

  #remove(at: number): void {
    const end = this.#heads[at + 1] ?? null;
    const [head] = this.#heads.splice(at, 1);
    while (head?.nextSibling && head.nextSibling !== end) head.nextSibling.remove();
    head?.remove();
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
