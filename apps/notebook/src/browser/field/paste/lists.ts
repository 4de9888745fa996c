import { attributeOf, findInside, isElement, type PastedElement, type PastedNode, textInside } from './pasted-tree.ts';

/** Collects list items. Further text of an item is indented under it. */
export class ListWriter {
  readonly #items: string[] = [];
  readonly #ordered: boolean;
  readonly #start: number;
  #inner: ListWriter | undefined;

  constructor(ordered: boolean, start: number) {
    this.#ordered = ordered;
    this.#start = Number.isSafeInteger(start) && start >= 0 ? start : 1;
  }

  add(text: string, item?: PastedElement): void {
    this.#close();
    const box = item ? boxOf(item) : '';
    if (text !== '' || box !== '') this.#items.push(box + text);
  }

  /** Continues the last item. */
  continueItem(text: string): void {
    this.#close();
    if (text === '') return;
    const last = this.#items.length - 1;
    if (last < 0) this.#items.push(text);
    else this.#items[last] += `\n${text}`;
  }

  /** Adds an item of a flat list that only tells each item's level. */
  addAt(level: number, ordered: boolean, text: string): void {
    if (level <= 1) this.add(text);
    else {
      this.#inner ??= new ListWriter(ordered, 1);
      this.#inner.addAt(level - 1, ordered, text);
    }
  }

  get text(): string {
    this.#close();
    return this.#items
      .map((item, place) => {
        const marker = this.#ordered ? `${this.#start + place}. ` : '- ';
        const inset = ' '.repeat(marker.length);
        return marker + item.replaceAll(/\n(?=[^\n])/g, `\n${inset}`);
      })
      .join('\n');
  }

  #close(): void {
    const inner = this.#inner;
    this.#inner = undefined;
    if (inner) this.continueItem(inner.text);
  }
}

/** The checkbox of a task: GitHub has an input element, Google Docs an attribute on the item. */
function boxOf(item: PastedElement): string {
  if (attributeOf(item, 'role') === 'checkbox') return attributeOf(item, 'aria-checked') === 'true' ? '[x] ' : '[ ] ';
  const box = findInside(item, inner => inner.tagName === 'li' || isCheckbox(inner));
  if (!box || !isCheckbox(box)) return '';
  return box.attrs.some(({ name }) => name === 'checked') ? '[x] ' : '[ ] ';
}

const isCheckbox = (element: PastedElement): boolean =>
  element.tagName === 'input' && attributeOf(element, 'type') === 'checkbox';

const wordLevel = /mso-list\s*:\s*l\d+\s+level(\d+)/i;

export const isWordItem = (element: PastedElement): boolean =>
  element.tagName === 'p' && wordLevel.test(attributeOf(element, 'style'));

export function wordItemOf(element: PastedElement): { level: number; ordered: boolean; words: readonly PastedNode[] } {
  const level = Number(wordLevel.exec(attributeOf(element, 'style'))![1]);
  const sign = findInside(element, inner => /mso-list\s*:\s*ignore/i.test(attributeOf(inner, 'style')));
  const ordered = sign !== undefined && /^\s*(?:\d+|[a-z]{1,4})[.)]/i.test(textInside(sign));
  return { level: Math.min(level, 9), ordered, words: element.childNodes.filter(child => !isElement(child) || child !== sign) };
}
