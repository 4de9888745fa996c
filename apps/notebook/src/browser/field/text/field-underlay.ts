/** What decides where a line wraps, and where the column stands. */
const copied = [
  ...(['fontFamily', 'fontSize', 'fontWeight', 'fontStyle', 'fontStretch', 'fontVariantLigatures'] as const),
  ...(['fontFeatureSettings', 'lineHeight', 'letterSpacing', 'wordSpacing', 'tabSize', 'wordBreak', 'overflowWrap'] as const),
  ...(['whiteSpace', 'direction', 'unicodeBidi', 'textAlign', 'paddingTop', 'paddingRight', 'paddingLeft'] as const),
] as const;

/** A column behind a text field that wraps as the field does and scrolls with it. What is put into it stands below the field's letters. */
export class FieldUnderlay {
  readonly column = document.createElement('div');
  readonly #field: HTMLTextAreaElement;
  readonly #layer = document.createElement('div');
  readonly #changed: () => void;
  readonly #resized = new ResizeObserver(() => this.fit());
  readonly #scroll = (): void => this.follow();

  /** @param changed the field was scrolled, or its column has another width */
  constructor(field: HTMLTextAreaElement, className: string, changed: () => void = () => {}) {
    this.#field = field;
    this.#changed = changed;
    this.#layer.className = className;
    this.#layer.ariaHidden = 'true';
    this.#layer.append(this.column);
    // Behind it in the tree, below it on the screen: a style of the field can say how the layer looks.
    field.after(this.#layer);
    field.addEventListener('scroll', this.#scroll);
    this.#resized.observe(field);
    this.#copyColumn();
  }

  /** To be called after the field was scrolled by a script; its own event comes a frame later. */
  follow(): void {
    // A scroll that comes with a change of width is told before it.
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

  /** Without the width of a scroll bar. */
  get #columnWidth(): string {
    return `${this.#field.clientWidth}px`;
  }

  #copyColumn(): void {
    const style = getComputedStyle(this.#field);
    for (const property of copied) this.column.style[property] = style[property];
    this.column.style.width = this.#columnWidth;
    // Scrolled as the field is, and not moved: engines round both places in the same way.
    this.#layer.style.paddingBottom = style.paddingBottom;
    this.#layer.scrollTop = this.#field.scrollTop;
  }
}
