import { readSource } from './addresses.ts';
import { writeCodeBlock } from './code.ts';
import { isWordItem, ListWriter, wordItemOf } from './lists.ts';
import {
  attributeOf,
  blockTags,
  findInside,
  isElement,
  isText,
  type PastedElement,
  type PastedNode,
  styleOf,
  textInside,
  unread,
} from './pasted-tree.ts';
import { isLayoutTable, writeTable } from './tables.ts';
import { styleInside } from './text-style.ts';
import { lineBreak, type TextRun, type TextStyle, writeWords } from './words.ts';

/** Nobody nests elements deeper than this. What is deeper is taken as plain words. */
const deepest = 200;
/** The limit for nested quotes and lists, because each level is written on every line. */
const deepestNest = 12;

interface Place {
  readonly style: TextStyle;
  readonly depth: number;
  readonly nest: number;
}

interface Block {
  readonly text: string;
  readonly isList: boolean;
}

/** Turns a parsed clipboard into Markdown blocks. `formatted` tells whether there was anything that plain text cannot express. */
export class PasteWriter {
  formatted = false;
  #blocks: Block[] = [];
  #words: TextRun[] = [];
  #inHeading = false;
  /** Word documents have no lists, only paragraphs marked as items. */
  #wordList: ListWriter | undefined;
  /** Inside an item, a list directly after the words gets no empty line before it. */
  readonly #insideItem: boolean;

  constructor(insideItem = false) {
    this.#insideItem = insideItem;
  }

  write(nodes: readonly PastedNode[], place: Place = { style: {}, depth: 0, nest: 0 }): void {
    for (const node of nodes) this.#node(node, place);
  }

  /** Returns everything written so far and starts afresh. */
  take(): string {
    this.#endParagraph();
    this.#endWordList();
    const blocks = this.#blocks;
    this.#blocks = [];
    return blocks.map(({ text, isList }, at) => (at === 0 ? '' : isList && this.#insideItem ? '\n' : '\n\n') + text).join('');
  }

  #node(node: PastedNode, place: Place): void {
    if (isText(node)) this.#addWords(node.value, place.style);
    else if (isElement(node) && !isUnseen(node)) this.#element(node, place);
  }

  #addWords(words: string, style: TextStyle): void {
    const seen = this.#inHeading ? { ...style, bold: false } : style;
    if (words.trim() !== '' && isMarked(seen, words)) this.formatted = true;
    this.#words.push({ words, style: seen });
  }

  #element(element: PastedElement, place: Place): void {
    const inside: Place = { ...place, style: styleInside(element, place.style), depth: place.depth + 1 };
    const { tagName } = element;
    if (place.depth >= deepest) this.#addWords(textInside(element), place.style);
    else if (tagName === 'br') this.#words.push({ words: lineBreak, style: {}, finished: true });
    else if (tagName === 'img') this.#image(element, place.style);
    else if (blockTags.has(tagName)) this.#block(element, inside);
    else this.write(element.childNodes, inside);
  }

  #image(element: PastedElement, style: TextStyle): void {
    const alt = attributeOf(element, 'alt').replaceAll(/\s+/g, ' ').trim();
    // Some sites show emoji as pictures.
    const src = readSource(attributeOf(element, 'src'));
    if (/^\p{Extended_Pictographic}/u.test(alt)) this.#addWords(alt, style);
    else if (src && attributeOf(element, 'width') !== '1') {
      this.formatted = true;
      this.#words.push({
        words: `![${alt.replaceAll(/[[\]\\]/g, '\\$&')}](${src})`,
        style: { href: style.href },
        finished: true,
      });
    }
  }

  #block(element: PastedElement, place: Place): void {
    this.#endParagraph();
    if (isWordItem(element)) this.#wordItem(element, place);
    else {
      this.#endWordList();
      this.#otherBlock(element, place);
      this.#endParagraph();
    }
  }

  #otherBlock(element: PastedElement, place: Place): void {
    const { tagName } = element;
    if (/^h[1-6]$/.test(tagName)) this.#heading(element, place);
    else if (tagName === 'hr') this.#add('---');
    else if (tagName === 'pre') this.#add(writeCodeBlock(element));
    else if (place.nest >= deepestNest) this.write(element.childNodes, place);
    else if (tagName === 'blockquote') this.#quote(element, place);
    else if (tagName === 'ul' || tagName === 'ol') this.#list(element, place);
    else if (tagName === 'table' && !isLayoutTable(element)) this.#table(element, place);
    else if (tagName === 'details') this.#details(element, place);
    else this.write(element.childNodes, tagName === 'dt' ? { ...place, style: { ...place.style, bold: true } } : place);
  }

  #heading(element: PastedElement, place: Place): void {
    this.#inHeading = true;
    this.write(element.childNodes, place);
    this.#inHeading = false;
    const words = writeWords(this.#words.map(run => (run.words === lineBreak ? { ...run, words: ' ' } : run)));
    this.#words = [];
    if (words !== '') this.#add(`${'#'.repeat(Number(element.tagName[1]))} ${words.replaceAll('\n', ' ')}`);
  }

  #quote(element: PastedElement, place: Place): void {
    const text = this.#apart(element.childNodes, place);
    if (text !== '')
      this.#add(
        text
          .split('\n')
          .map(line => `> ${line}`.trimEnd())
          .join('\n'),
      );
  }

  #list(element: PastedElement, place: Place): void {
    const list = new ListWriter(element.tagName === 'ol', Number(attributeOf(element, 'start') || 1));
    for (const child of element.childNodes.filter(isElement)) {
      if (isUnseen(child)) continue;
      // A list directly inside a list, as word processors write it, belongs to the item above.
      if (child.tagName === 'ul' || child.tagName === 'ol') list.continueItem(this.#apart([child], place));
      else list.add(this.#apart(child.childNodes, { ...place, style: styleInside(child, place.style) }, true), child);
    }
    this.#add(list.text, true);
  }

  #wordItem(element: PastedElement, place: Place): void {
    const { level, ordered, words } = wordItemOf(element);
    this.#wordList ??= new ListWriter(ordered, 1);
    this.#wordList.addAt(level, ordered, this.#apart(words, place));
  }

  #endWordList(): void {
    const list = this.#wordList;
    this.#wordList = undefined;
    if (list) this.#add(list.text, true);
  }

  #table(element: PastedElement, place: Place): void {
    this.#add(writeTable(element, cell => this.#apart(cell.childNodes, { ...place, style: {} })));
  }

  #details(element: PastedElement, place: Place): void {
    const summary = findInside(element, inner => inner.tagName === 'summary');
    const rest = element.childNodes.filter(child => child !== summary);
    const title = summary ? onOneLine(this.#apart(summary.childNodes, place)) : 'Details';
    this.#add(`<details>\n<summary>${title}</summary>\n\n${this.#apart(rest, place)}\n\n</details>`);
  }

  /** Converts some nodes separately. */
  #apart(nodes: readonly PastedNode[], place: Place, insideItem = false): string {
    const writer = new PasteWriter(insideItem);
    writer.write(nodes, { ...place, nest: place.nest + 1 });
    const text = writer.take();
    this.formatted ||= writer.formatted;
    return text;
  }

  #add(text: string, isList = false): void {
    if (text === '') return;
    this.formatted = true;
    this.#blocks.push({ text, isList });
  }

  #endParagraph(): void {
    const text = writeWords(this.#words);
    this.#words = [];
    if (text === '') return;
    this.#endWordList();
    // People use two line breaks in a row as a paragraph break where an editor offers none.
    for (const part of text.split(/(?:\\\n *){2,}/)) this.#blocks.push({ text: part, isList: false });
  }
}

function isMarked({ bold, italic, strike, code, tag, href }: TextStyle, words: string): boolean {
  return Boolean(bold || italic || strike || code || tag) || (href !== undefined && href !== words.trim());
}

function isUnseen(element: PastedElement): boolean {
  if (unread.has(element.tagName)) return true;
  if (styleOf(element, 'display') === 'none' || attributeOf(element, 'hidden') !== '') return true;
  if (/mso-list\s*:\s*ignore/i.test(attributeOf(element, 'style'))) return true;
  if (attributeOf(element, 'aria-hidden') === 'true' && element.tagName !== 'img') return true;
  return /(?:^|\s)(?:mw-editsection|reference|anchor|zeroclipboard-container)(?:\s|$)/.test(attributeOf(element, 'class'));
}

function onOneLine(text: string): string {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .join(' ');
}
