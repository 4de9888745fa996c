/** The styles that decide where lines wrap and where the column is. */
const copied = [
  ...(['fontFamily', 'fontSize', 'fontWeight', 'fontStyle', 'fontStretch', 'fontVariantLigatures'] as const),
  ...(['fontFeatureSettings', 'lineHeight', 'letterSpacing', 'wordSpacing', 'tabSize', 'wordBreak', 'overflowWrap'] as const),
  ...(['whiteSpace', 'direction', 'unicodeBidi', 'textAlign', 'paddingTop', 'paddingRight', 'paddingLeft'] as const),
] as const;

/** A column behind a text field that wraps and scrolls like the field, so that its content lies under the field's letters. */
export class FieldUnderlay {
  readonly column = document.createElement('div');
  readonly #field: HTMLTextAreaElement;
  readonly #layer = document.createElement('div');
  readonly #changed: () => void;
  readonly #resized = new ResizeObserver(() => this.fit());
  readonly #scroll = (): void => this.follow();

  /** @param changed called when the field was scrolled or its column's width changed */
  constructor(field: HTMLTextAreaElement, className: string, changed: () => void = () => {}) {
    this.#field = field;
    this.#changed = changed;
    this.#layer.className = className;
    this.#layer.ariaHidden = 'true';
    this.#layer.append(this.column);
    // After the field in the tree, so that a selector on the field can style the layer, but below it on the screen.
    field.after(this.#layer);
    field.addEventListener('scroll', this.#scroll);
    this.#resized.observe(field);
    this.#copyColumn();
  }

  /** Call this after a script scrolled the field, because the scroll event comes a frame later. */
  follow(): void {
    // When the width changes, the scroll event comes before the resize is reported.
    if (this.column.style.width === this.#columnWidth) this.#layer.scrollTop = this.#field.scrollTop;
    else this.#copyColumn();
    this.#changed();
  }

  fit(): void {
    this.#copyColumn();
    this.#changed();
  }

  close(): void {
    this.#resized.disconnect();
    this.#field.removeEventListener('scroll', this.#scroll);
    this.#layer.remove();
  }

  /** The width without a scroll bar. */
  get #columnWidth(): string {
    return `${this.#field.clientWidth}px`;
  }

  #copyColumn(): void {
    // Read before anything is written: after each write, the next read would compute styles and the layout again.
    const style = getComputedStyle(this.#field);
    const styles = copied.map(property => style[property]);
    const [width, { paddingBottom }, { scrollTop }] = [this.#columnWidth, style, this.#field];
    for (const [at, property] of copied.entries()) this.column.style[property] = styles[at]!;
    this.column.style.width = width;
    // The layer is scrolled like the field, not shifted, because engines round both scroll positions in the same way.
    this.#layer.style.paddingBottom = paddingBottom;
    this.#layer.scrollTop = scrollTop;
  }
}
