import { sharedEnds } from '../../merge/shared-ends.ts';

/** How many lines are measured at once. More would cause a noticeable delay. */
const measuredAtOnce = 300;
/** The pause after the last key. Measuring forces a layout, which takes too long to do at each key in a long text. */
const restMilliseconds = 150;
const mostKnown = 60_000;
/** Number of rows measured to find the height of one. */
const measuredRows = 20;

/** The styles that decide where a line wraps. The shorthand `font` is empty as soon as it cannot express one of its parts. */
const copied = [
  ...([
    'fontFamily',
    'fontSize',
    'fontWeight',
    'fontStyle',
    'fontStretch',
    'fontVariantLigatures',
    'fontFeatureSettings',
  ] as const),
  ...(['lineHeight', 'letterSpacing', 'wordSpacing', 'tabSize', 'wordBreak', 'overflowWrap', 'whiteSpaceCollapse'] as const),
] as const;

/**
 * Positions of the source lines in a text field. A field does not tell where it wraps, so long lines are measured in a copy of its
 * column, each once, some at a time. Lines not measured yet are estimated by their length.
 */
export class FieldLines {
  readonly #field: HTMLTextAreaElement;
  readonly #mirror = document.createElement('div');
  /** The number of rows of each line's text, for the current column. */
  readonly #known = new Map<string, number>();
  #text: string | undefined;
  #lines: readonly string[] = [];
  /** `#rows[n]` is the number of rows above line n. */
  #rows = new Float64Array(1);
  #column = '';
  #lineHeight = 24;
  #top = 0;
  #charsInRow = 1;
  #narrowChars = 1;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(field: HTMLTextAreaElement) {
    this.#field = field;
    this.#mirror.className = 'field-mirror';
    this.#mirror.ariaHidden = 'true';
    field.parentElement!.append(this.#mirror);
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Returns the 0-based line at a height in the field's content, plus the fraction of that line above it. */
  lineAt(y: number): number {
    const row = Math.max(0, (y - this.#top) / this.#lineHeight);
    let low = 0;
    let high = this.#lines.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (this.#rows[middle]! <= row) low = middle;
      else high = middle;
    }
    const [from, to] = [this.#rows[low]!, this.#rows[low + 1]!];
    return low + Math.min(1, (row - from) / Math.max(1, to - from));
  }

  yOf(line: number): number {
    const whole = Math.max(0, Math.min(Math.floor(line), this.#lines.length - 1));
    const [from, to] = [this.#rows[whole]!, this.#rows[whole + 1]!];
    return this.#top + (from + Math.min(1, line - whole) * (to - from)) * this.#lineHeight;
  }

  /** Reads the field again. After a change of column lines are measured at once, some at a time; after typing, when the writer pauses. */
  read(text: string, changed: () => void): void {
    const restyled = this.#readColumn();
    if (text === this.#text && !restyled) return;
    const known = restyled ? undefined : { lines: this.#lines, rows: this.#rows };
    this.#text = text;
    this.#lines = text.split('\n');
    this.#count(known);
    if (known) this.#measureLater(changed, restMilliseconds);
    else this.#measureSome(changed);
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#mirror.remove();
  }

  /** @returns whether lines now wrap differently */
  #readColumn(): boolean {
    const style = getComputedStyle(this.#field);
    const width = this.#field.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
    const styles = copied.map(property => style[property]);
    const column = [width, document.fonts.status, ...styles].join();
    if (column === this.#column) return false;
    this.#column = column;
    this.#known.clear();
    this.#top = Number.parseFloat(style.paddingTop);
    for (const [at, property] of copied.entries()) this.#mirror.style[property] = styles[at]!;
    this.#mirror.style.width = `${width}px`;
    // Measured together, because each measuring lays the window out.
    const [rows, wide, narrow] = this.#heightsOf([Array(measuredRows).fill('x').join('\n'), '中'.repeat(200), 'x'.repeat(2_000)]);
    this.#lineHeight = Math.max(measuredRows, rows!) / measuredRows;
    this.#charsInRow = Math.max(1, 2_000 / this.#rowsIn(narrow!));
    this.#narrowChars = Math.max(1, Math.floor(200 / this.#rowsIn(wide!)) - 1);
    return true;
  }

  /** Lines that certainly fit in one row need no measuring: a few letters of any kind, or some more Latin ones. */
  #isShort(line: string): boolean {
    return line.length < this.#narrowChars || (line.length < this.#charsInRow - 1 && /^[\x20-\x7e]*$/.test(line));
  }

  /** @param before the counts of a text that shares its start and end with the current one */
  #count(before?: CountedLines): void {
    const { head, tail } = before ? sharedEnds(before.lines, this.#lines) : { head: 0, tail: 0 };
    const rows = new Float64Array(this.#lines.length + 1);
    const shift = (before?.lines.length ?? 0) - this.#lines.length;
    for (const [at, line] of this.#lines.entries()) {
      const old = at < head || shift === 0 ? at : at + shift;
      // A line being typed in mostly has as many rows as before.
      const counted = before && (at < head || at >= this.#lines.length - tail || shift === 0);
      const own = counted && !this.#known.has(line) ? before.rows[old + 1]! - before.rows[old]! : this.#ownRows(line);
      rows[at + 1] = rows[at]! + own;
    }
    this.#rows = rows;
  }

  #ownRows(line: string): number {
    return this.#isShort(line) ? 1 : (this.#known.get(line) ?? Math.ceil(line.length / this.#charsInRow));
  }

  #measureLater(changed: () => void, pause: number): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      if (this.#measureSome(changed)) changed();
    }, pause);
  }

  /** @returns whether the row count of any line was wrong */
  #measureSome(changed: () => void): boolean {
    clearTimeout(this.#idle);
    if (this.#known.size > mostKnown) this.#known.clear();
    // Measures from the start, not from the visible place outwards, because a sum is only right if everything before it is.
    const due = new Set<string>();
    for (const line of this.#lines) {
      if (this.#isShort(line) || this.#known.has(line)) continue;
      due.add(line);
      if (due.size === measuredAtOnce) break;
    }
    const lines = [...due];
    if (lines.length > 0)
      for (const [at, height] of this.#heightsOf(lines).entries()) this.#known.set(lines[at]!, this.#rowsIn(height));
    const before = this.#rows;
    this.#count();
    if (due.size === measuredAtOnce) this.#measureLater(changed, 30);
    return before.some((rows, at) => rows !== this.#rows[at]);
  }

  #rowsIn(height: number): number {
    return Math.max(1, Math.round(height / this.#lineHeight));
  }

  /** Measures instead of reading the style: WebKit rounds each row to whole pixels, and over a long text the fractions add up. */
  #heightsOf(texts: readonly string[]): number[] {
    const boxes = texts.map(text => {
      const box = document.createElement('div');
      box.textContent = text;
      return box;
    });
    this.#mirror.replaceChildren(...boxes);
    const heights = boxes.map(box => box.getBoundingClientRect().height);
    this.#mirror.replaceChildren();
    return heights;
  }
}

interface CountedLines {
  readonly lines: readonly string[];
  readonly rows: Float64Array;
}
