import type { Element, Root, RootContent } from 'hast';
import type { Heading } from '../rendered.ts';
import { type Parent, textOf } from '../tree.ts';
import { writeMath } from './book-math.ts';
import { isBlockName, isInlineName, rubyFits } from './book-names.ts';
import { type Attributes, XmlText } from './xml-text.ts';

/**
 * Writes the safe tree as XHTML that is valid for EPUB 3, whatever tags the writer mixed: elements are only where they may be, ids are
 * valid names, and nothing needs a script. Links and images keep their addresses; the code that makes the file resolves them
 * (views/epub-links.ts). The time is linear in the tree.
 * @returns the body of a file, and the headings with their new ids. An id is empty if the heading has no place of its own.
 */
export function toBookText(tree: Root, headings: readonly Heading[]): { html: string; headings: Heading[] } {
  const writer = new BookWriter(tree);
  writer.flow(tree.children);
  return { html: writer.finish(), headings: headings.map(heading => ({ ...heading, id: writer.findId(heading.id) ?? '' })) };
}

/** Elements that HTML no longer has or that restrict their content. */
const translated: Readonly<Record<string, string>> = { tt: 'code', strike: 's', time: 'span', dfn: 'i' };
const directions = new Set(['ltr', 'rtl', 'auto']);
/** BCP 47, to the extent that people write it by hand. */
const language = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i;

class BookWriter {
  readonly #xml = new XmlText();
  /** The new name for each id in the tree. */
  readonly #ids = new Map<string, string>();
  readonly #written = new Set<string>();
  /** Links whose targets may turn out not to be written. */
  readonly #aimed: { readonly place: number; readonly id: string; readonly attributes: Attributes }[] = [];
  /** Elements that contain a block at any depth. Found once, bottom up, so that nesting costs nothing. */
  readonly #holdsBlock = new WeakSet<Element>();
  #inLink = 0;

  constructor(tree: Root) {
    this.#look(tree);
  }

  findId(id: string): string | undefined {
    const name = this.#ids.get(id);
    return name !== undefined && this.#written.has(name) ? name : undefined;
  }

  finish(): string {
    for (const { place, id, attributes } of this.#aimed) if (!this.#written.has(id)) this.#xml.amend(place, 'a', attributes);
    return this.#xml.text();
  }

  #look(parent: Parent): boolean {
    let holds = false;
    for (const child of parent.children) {
      if (child.type !== 'element') continue;
      const { id } = child.properties;
      if (typeof id === 'string' && !this.#ids.has(id)) this.#ids.set(id, `i${this.#ids.size + 1}`);
      const inside = this.#look(child);
      if (inside) this.#holdsBlock.add(child);
      if (inside || isBlockName(child.tagName)) holds = true;
    }
    return holds;
  }

  /** Writes content where blocks are allowed. */
  flow(children: readonly RootContent[]): void {
    for (const child of children) {
      if (child.type === 'text') this.#xml.words(child.value);
      else if (child.type === 'element') this.#flowElement(child);
    }
  }

  /** Writes content where only inline content is allowed. Blocks lose their boxes, but their words stay separate. */
  #phrasing(children: readonly RootContent[]): void {
    for (const child of children) {
      if (child.type === 'text') this.#xml.words(child.value);
      else if (child.type === 'element') {
        if (isInlineName(child.tagName)) this.#inline(child);
        else {
          this.#phrasing(child.children);
          if (isBlockName(child.tagName)) this.#xml.words(' ');
        }
      }
    }
  }

  #flowElement(node: Element): void {
    const { tagName: name } = node;
    if (this.#holdsBlock.has(node) && (isInlineName(name) || name === 'p' || /^h[1-6]$/.test(name))) {
      // An inline element may not contain a block: the element is dropped, its content stays.
      this.flow(node.children);
      return;
    }
    if (isInlineName(name)) this.#inline(node);
    else if (name === 'ul' || name === 'ol') this.#list(node);
    else if (name === 'table') this.#table(node);
    else if (name === 'pre') this.#code(node);
    else if (name === 'hr') this.#xml.empty('hr', {});
    else if (name === 'blockquote' || name === 'section') this.#box(name, node);
    else if (name === 'p' || /^h[1-6]$/.test(name))
      this.#xml.element(name, this.#attributes(node), () => this.#phrasing(node.children));
    else if (isBlockName(name)) this.#box('div', node, name === 'div' ? undefined : name);
    else this.flow(node.children);
  }

  /** `details`, `figure`, `dl` and their parts become boxes with classes named after them, because few reading apps know these elements. */
  #box(name: string, node: Element, kind?: string): void {
    const attributes = this.#attributes(node);
    const classes = [attributes.class, kind].filter(each => each !== undefined).join(' ');
    this.#xml.element(name, classes === '' ? attributes : { ...attributes, class: classes }, () => this.flow(node.children));
  }

  #list(node: Element): void {
    const { start, reversed } = node.properties;
    const numbered = node.tagName === 'ol' && /^-?\d{1,9}$/.test(String(start)) ? { start: String(start) } : {};
    const backwards = node.tagName === 'ol' && reversed ? { reversed: 'reversed' } : {};
    this.#xml.element(node.tagName, { ...this.#attributes(node), ...numbered, ...backwards }, () => {
      for (const child of node.children) {
        if (child.type === 'element' && child.tagName === 'li')
          this.#xml.element('li', this.#attributes(child), () => this.flow(child.children));
        else if (child.type === 'element' || (child.type === 'text' && child.value.trim() !== ''))
          this.#xml.element('li', {}, () => this.flow([child]));
      }
    });
  }

  #table(node: Element): void {
    const parts = node.children.filter(child => child.type === 'element');
    const caption = parts.find(({ tagName }) => tagName === 'caption');
    const rows = { thead: [] as Element[], tbody: [] as Element[], tfoot: [] as Element[] };
    for (const part of parts) {
      if (part.tagName === 'tr') rows.tbody.push(part);
      else if (part.tagName === 'thead' || part.tagName === 'tbody' || part.tagName === 'tfoot')
        for (const row of part.children) if (row.type === 'element' && row.tagName === 'tr') rows[part.tagName].push(row);
    }
    if (caption) this.#xml.element('p', { class: 'caption' }, () => this.#phrasing(caption.children));
    if (rows.thead.length + rows.tbody.length + rows.tfoot.length === 0) return;
    this.#xml.element('table', this.#attributes(node), () => {
      for (const [name, own] of Object.entries(rows)) if (own.length > 0) this.#xml.element(name, {}, () => this.#rows(own));
    });
  }

  #rows(rows: readonly Element[]): void {
    for (const row of rows)
      this.#xml.element('tr', {}, () => {
        for (const cell of row.children) if (cell.type === 'element' && /^t[hd]$/.test(cell.tagName)) this.#cell(cell);
      });
  }

  #cell(cell: Element): void {
    const attributes: Attributes = { ...this.#attributes(cell) };
    const align = String(cell.properties.align ?? '').toLowerCase();
    if (['left', 'center', 'right'].includes(align)) attributes.class = `${attributes.class ?? ''} ${align}`.trim();
    for (const [property, name] of [
      ['colSpan', 'colspan'],
      ['rowSpan', 'rowspan'],
    ] as const) {
      const span = String(cell.properties[property] ?? '');
      if (/^[1-9]\d{0,2}$/.test(span)) attributes[name] = span;
    }
    // A table header cell gets no blocks.
    this.#xml.element(cell.tagName, attributes, () =>
      cell.tagName === 'th' ? this.#phrasing(cell.children) : this.flow(cell.children),
    );
  }

  /** Code runs from left to right on a page in Arabic too. EPUB allows no style sheet to say so. */
  #code(node: Element): void {
    const isCode = node.children.some(child => child.type === 'element' && child.tagName === 'code');
    const attributes = { dir: isCode ? 'ltr' : 'auto', ...this.#attributes(node) };
    this.#xml.element('pre', attributes, () => this.#phrasing(node.children));
  }

  #inline(node: Element): void {
    const { tagName: name } = node;
    if (name === 'br' || name === 'wbr') this.#xml.empty(name, {});
    else if (name === 'img') this.#image(node);
    else if (name === 'input') this.#xml.words(node.properties.checked ? '☑ ' : '☐ ');
    else if (name === 'math') writeMath(this.#xml, node);
    else if (name === 'a') this.#link(node);
    else if (name === 'ruby') this.#ruby(node);
    else if (name === 'bdo' && !/^(?:ltr|rtl)$/.test(String(node.properties.dir))) this.#words('span', node);
    else this.#words(translated[name] ?? name, node);
  }

  #words(name: string, node: Element): void {
    this.#xml.element(name, this.#attributes(node), () => this.#phrasing(node.children));
  }

  #link(node: Element): void {
    // A heading's anchor only links to itself.
    if (String(node.properties.className ?? '') === 'anchor') return;
    const { href } = node.properties;
    const address = typeof href === 'string' ? this.#addressOf(href) : undefined;
    if (this.#inLink > 0 || address === undefined) {
      this.#words('span', node);
      return;
    }
    this.#inLink += 1;
    const attributes = this.#attributes(node);
    if (address.startsWith('#')) this.#aimed.push({ place: this.#xml.place, id: address.slice(1), attributes });
    this.#xml.element('a', { ...attributes, href: address }, () => this.#phrasing(node.children));
    this.#inLink -= 1;
  }

  /** Renames the target of a link within the page. Undefined if the target does not exist. */
  #addressOf(href: string): string | undefined {
    if (!href.startsWith('#')) return href;
    const name = href.slice(1);
    const id = this.#ids.get(name) ?? this.#ids.get(decoded(name));
    return id === undefined ? undefined : `#${id}`;
  }

  /** `class` tells whether the image is in a link, where no other link may be put around it. */
  #image(node: Element): void {
    const { src, alt, width, height } = node.properties;
    if (typeof src !== 'string' || src === '') {
      this.#xml.words(String(alt ?? ''));
      return;
    }
    const sizes: Attributes = {};
    if (/^\d{1,5}$/.test(String(width))) sizes.width = String(width);
    if (/^\d{1,5}$/.test(String(height))) sizes.height = String(height);
    this.#xml.empty('img', { src, alt: String(alt ?? ''), class: this.#inLink > 0 ? 'in-link' : 'image', ...sizes });
  }

  #ruby(node: Element): void {
    if (rubyFits(node))
      this.#xml.element('ruby', this.#attributes(node), () => {
        for (const child of node.children) {
          if (child.type === 'element' && (child.tagName === 'rt' || child.tagName === 'rp'))
            this.#xml.element(child.tagName, {}, () => this.#xml.words(textOf(child)));
          else this.#phrasing([child]);
        }
      });
    else this.#words('span', node);
  }

  #attributes({ properties }: Element): Attributes {
    const { id, className, dir, title, lang } = properties;
    const made: Attributes = {};
    const name = typeof id === 'string' ? this.#ids.get(id) : undefined;
    if (name !== undefined && !this.#written.has(name)) {
      this.#written.add(name);
      made.id = name;
    }
    if (Array.isArray(className) && className.length > 0) made.class = className.join(' ');
    if (directions.has(String(dir))) made.dir = String(dir);
    if (typeof lang === 'string' && language.test(lang)) {
      made.lang = lang;
      made['xml:lang'] = lang;
    }
    if (typeof title === 'string' && title !== '') made.title = title;
    return made;
  }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
