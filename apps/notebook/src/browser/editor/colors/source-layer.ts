import { FieldUnderlay } from '../../field/text/field-underlay.ts';
import { Composition } from './composition.ts';
import { closeColors, paintLines } from './paint-lines.ts';
import { SourceLines } from './source-lines.ts';

/** In characters. Laying out a larger text twice would take longer than a frame at each key. */
const mostColored = 300_000;
/** In characters. A changed line is laid out again as a whole. */
const longestLine = 20_000;

/**
 * Colors the text of a field by a copy behind it. While the copy is shown, the field's own letters are not painted. Each line has a box, so
 * that a key lays out one line. Colors are highlights, which change neither the shape nor the place of a letter.
 */
export class SourceLayer {
  readonly #field: HTMLTextAreaElement;
  readonly #composition: Composition;
  readonly #ending = new AbortController();
  #shown: { readonly underlay: FieldUnderlay; readonly lines: SourceLines } | undefined;
  /** Lines whose colors are painted. */
  #painted = { from: 0, to: 0 };
  /** The column width at which the copy wrapped differently from the field. */
  #inexactAt: number | undefined;

  constructor(field: HTMLTextAreaElement) {
    this.#field = field;
    this.#composition = new Composition(field, () => this.#read());
    field.addEventListener('input', () => this.#read(), { signal: this.#ending.signal });
    this.#read();
  }

  close(): void {
    this.#ending.abort();
    this.#composition.close();
    this.#hide();
  }

  #hide(): void {
    delete this.#field.dataset.colored;
    this.#shown?.underlay.close();
    this.#shown = undefined;
    closeColors();
  }

  /** Runs within the key's event, so that letters and caret appear in the same frame. */
  #read(): void {
    const text = this.#field.value;
    const lines = text.length > mostColored ? undefined : text.split('\n');
    if (!lines || this.#inexactAt === this.#field.clientWidth || lines.some(line => line.length > longestLine)) {
      this.#hide();
      return;
    }
    this.#shown ??= this.#create();
    const { underlay } = this.#shown;
    // The field's direction depends on its text.
    underlay.column.style.direction = getComputedStyle(this.#field).direction;
    this.#shown.lines.take(lines);
    this.#painted = { from: 0, to: 0 };
    underlay.follow();
  }

  #create(): { underlay: FieldUnderlay; lines: SourceLines } {
    const underlay = new FieldUnderlay(this.#field, 'source-colors', () => this.#paintVisible());
    return { underlay, lines: new SourceLines(underlay.column) };
  }

  /** Paints the visible lines plus a screen above and below, unless they are already painted. */
  #paintVisible(): void {
    const { clientHeight: height, scrollTop: top } = this.#field;
    if (!this.#shown || height === 0) return;
    if (!this.#isExact()) {
      this.#inexactAt = this.#field.clientWidth;
      this.#hide();
      return;
    }
    this.#field.toggleAttribute('data-colored', !this.#composition.needsNativeLetters);
    const { lines } = this.#shown;
    const seen = lines.between(top, top + height);
    if (seen.from >= this.#painted.from && seen.to <= this.#painted.to) return;
    this.#painted = lines.between(top - height, top + 2 * height);
    paintLines(lines, this.#painted, this.#composition.place());
  }

  /** False if an engine, a setting or an extension makes the copy wrap differently. Then the field shows its own letters. */
  #isExact(): boolean {
    const { scrollHeight, clientHeight } = this.#field;
    const { paddingBottom } = getComputedStyle(this.#field);
    const copied = this.#shown!.underlay.column.offsetHeight + Number.parseFloat(paddingBottom);
    return scrollHeight > clientHeight ? Math.abs(scrollHeight - copied) <= 2 : copied <= clientHeight + 2;
  }
}
