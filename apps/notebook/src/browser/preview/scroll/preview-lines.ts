import { lastWhere } from '../last-where.ts';
import type { ShownParts } from '../shown-parts.ts';
import { lineAt, type Marker, type Place, placesOf, yAt } from './places.ts';

/**
 * Positions of the source lines in the preview. Nothing is cached: the few marks around the requested place are looked up
 * each time, so that they are right whatever images, fonts and widths have changed.
 */
export class PreviewLines {
  readonly #pane: HTMLElement;
  readonly #shown: ShownParts;

  constructor(pane: HTMLElement, shown: ShownParts) {
    this.#pane = pane;
    this.#shown = shown;
  }

  /** @param source the lines of the text */
  yOf(line: number, source: readonly string[]): number {
    return yAt(this.#placesAround(this.#partAtLine(line), source), line);
  }

  lineAt(y: number, source: readonly string[]): number {
    return lineAt(this.#placesAround(this.#partAtHeight(y), source), y);
  }

  #partAtLine(line: number): number {
    return lastWhere(this.#shown.count, part => this.#shown.lines[part]! - 1 <= line);
  }

  #partAtHeight(y: number): number {
    return this.#shown.lastAbove(y + this.#paneTop() - this.#pane.scrollTop);
  }

  /** Includes the parts before and after, because some parts have no marks and others begin between two lines. */
  #placesAround(part: number, source: readonly string[]): Place[] {
    let from = part;
    let markers: Marker[] = [];
    for (let looked = 0; from >= 0 && looked < searchedParts; looked += 1, from -= 1) {
      markers = [...this.#markersOf(from, source), ...markers];
      if (looked > 0 && markers.length > 0 && markers[0]!.line < this.#shown.lines[part]! - 1) break;
    }
    if (from < 0) markers.unshift({ line: 0, top: 0, bottom: 0 });
    let next = part + 1;
    for (let found = false; next < this.#shown.count && !found && next < part + searchedParts; next += 1) {
      const more = this.#markersOf(next, source);
      found = more.length > 0;
      markers.push(...more);
    }
    if (next >= this.#shown.count) markers.push({ line: source.length, top: this.#end(), bottom: this.#end() });
    return placesOf(markers, line => source[line]?.trim() === '');
  }

  #end(): number {
    const last = this.#shown.elementOf(this.#shown.count - 1);
    return last ? this.#bottomOf(last) : 0;
  }

  #markersOf(part: number, source: readonly string[]): Marker[] {
    const element = this.#shown.elementOf(part);
    // Footnotes are shown at the end, wherever they were written.
    if (!element || element.matches('[data-footnotes]')) return [];
    const first = this.#shown.lines[part]! - 1;
    const marked = [element, ...element.querySelectorAll<HTMLElement>('[data-line]')].filter(each => each.dataset.line);
    // A text shown as plain text is one `pre` without marks.
    if (marked.length === 0 && this.#shown.count === 1) return this.#expand(element, first, source);
    return marked.flatMap(each => this.#expand(each, first + Number(each.dataset.line) - 1, source));
  }

  /** Adds the lines inside tables and code. Content that is not displayed (closed details) has no place. */
  #expand(element: HTMLElement, line: number, source: readonly string[]): Marker[] {
    const top = this.#topOf(element);
    const bottom = this.#bottomOf(element);
    if (bottom <= top) return [];
    if (element instanceof HTMLTableElement) return this.#rowsOf(element, line);
    if (element.tagName !== 'PRE') return [{ line, top, bottom }];
    const style = getComputedStyle(element);
    const inner = { top: top + Number.parseFloat(style.paddingTop), bottom: bottom - Number.parseFloat(style.paddingBottom) };
    const fence = /```|~~~/.test(source[line] ?? '') ? 1 : 0;
    const length = (element.textContent ?? '').replace(/\n$/, '').split('\n').length;
    const first = { line: line + fence, ...inner };
    return [
      ...(fence ? [{ line, top, bottom: inner.top }] : []),
      first,
      { line: first.line + length, top: inner.bottom, bottom },
    ];
  }

  /** The second source line of a table is the delimiter row and has no row of its own. */
  #rowsOf(table: HTMLTableElement, line: number): Marker[] {
    return [...table.rows].map((row, at) => ({
      line: at === 0 ? line : line + 1 + at,
      top: this.#topOf(row),
      bottom: this.#bottomOf(row),
    }));
  }

  #topOf(element: Element): number {
    return element.getBoundingClientRect().top - this.#paneTop() + this.#pane.scrollTop;
  }

  #bottomOf(element: Element): number {
    return element.getBoundingClientRect().bottom - this.#paneTop() + this.#pane.scrollTop;
  }

  #paneTop(): number {
    return this.#pane.getBoundingClientRect().top;
  }
}

const searchedParts = 12;
