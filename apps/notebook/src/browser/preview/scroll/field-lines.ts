import { sharedEnds } from '../../merge/shared-ends.ts';

/** How many lines are measured at once; more would be felt. */
const measuredAtOnce = 300;
/** After the last key: measuring lays the window out, which a key on a long text has no time for. */
const restMilliseconds = 150;
const mostKnown = 60_000;
/** Rows that are measured to learn the height of one. */
const measuredRows = 20;

/** What decides where a line wraps. The shorthand `font` is empty as soon as one of its parts cannot be said in it. */
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
 * Where the source lines stand in a text field. A field tells nobody where it wraps, so long lines are measured in a copy of its
 * column, each once, some at a time; lines that are not measured yet are estimated by their length.
 */
export class FieldLines {
  readonly #field: HTMLTextAreaElement;
  readonly #mirror = document.createElement('div');
  /** Rows of each line of text, for the column as it is now. */
  readonly #known = new Map<string, number>();
  #text: string | undefined;
  #lines: readonly string[] = [];
  /** `#rows[n]`: rows above line n. */
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

  /** 0-based line, with the part of it that is above, for a height in the field's content. */
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

  /** Looks at the field again. Lines of a new column are measured at once, some at a time; those that are written, when the writer rests. */
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

  /** @returns whether lines wrap in other places now */
  #readColumn(): boolean {
    const style = getComputedStyle(this.#field);
    const width = this.#field.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
    const column = [width, document.fonts.status, ...copied.map(property => style[property])].join();
    if (column === this.#column) return false;
    this.#column = column;
    this.#known.clear();
    this.#top = Number.parseFloat(style.paddingTop);
    for (const property of copied) this.#mirror.style[property] = style[property];
    this.#mirror.style.width = `${width}px`;
    this.#lineHeight = this.#heightOf(Array(measuredRows).fill('x').join('\n')) / measuredRows;
    const wide = this.#rowsOf(['中'.repeat(200)])[0]!;
    const narrow = this.#rowsOf(['x'.repeat(2_000)])[0]!;
    this.#charsInRow = Math.max(1, 2_000 / narrow);
    this.#narrowChars = Math.max(1, Math.floor(200 / wide) - 1);
    return true;
  }

  /** Lines that are surely one row need no measuring: few letters of any kind, or some more of the Latin ones. */
  #isShort(line: string): boolean {
    return line.length < this.#narrowChars || (line.length < this.#charsInRow - 1 && /^[\x20-\x7e]*$/.test(line));
  }

  /** @param before what was counted for a text that shares its beginning and its end with the one now */
  #count(before?: CountedLines): void {
    const { head, tail } = before ? sharedEnds(before.lines, this.#lines) : { head: 0, tail: 0 };
    const rows = new Float64Array(this.#lines.length + 1);
    const shift = (before?.lines.length ?? 0) - this.#lines.length;
    for (const [at, line] of this.#lines.entries()) {
      const old = at < head || shift === 0 ? at : at + shift;
      // A line that is written on has mostly as many rows as before.
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

  /** @returns whether a line has other rows than was thought */
  #measureSome(changed: () => void): boolean {
    clearTimeout(this.#idle);
    if (this.#known.size > mostKnown) this.#known.clear();
    // From the place that is looked at outwards would be right sooner, but a sum is only as right as all before it.
    const due = new Set<string>();
    for (const line of this.#lines) {
      if (this.#isShort(line) || this.#known.has(line)) continue;
      due.add(line);
      if (due.size === measuredAtOnce) break;
    }
    const lines = [...due];
    if (lines.length > 0) for (const [at, rows] of this.#rowsOf(lines).entries()) this.#known.set(lines[at]!, rows);
    const before = this.#rows;
    this.#count();
    if (due.size === measuredAtOnce) this.#measureLater(changed, 30);
    return before.some((rows, at) => rows !== this.#rows[at]);
  }

  /** Not what the style says: WebKit gives each row whole pixels, and over a long text the parts add up. */
  #heightOf(text: string): number {
    const box = document.createElement('div');
    box.textContent = text;
    this.#mirror.replaceChildren(box);
    const { height } = box.getBoundingClientRect();
    this.#mirror.replaceChildren();
    return Math.max(measuredRows, height);
  }

  #rowsOf(lines: readonly string[]): number[] {
    const boxes = lines.map(line => {
      const box = document.createElement('div');
      box.textContent = line;
      return box;
    });
    this.#mirror.replaceChildren(...boxes);
    const rows = boxes.map(box => Math.max(1, Math.round(box.getBoundingClientRect().height / this.#lineHeight)));
    this.#mirror.replaceChildren();
    return rows;
  }
}

interface CountedLines {
  readonly lines: readonly string[];
  readonly rows: Float64Array;
}
