/** Scripts whose input methods underline the part of the text being converted with lines of their own. */
const converted = /[\p{sc=Hiragana}\p{sc=Katakana}]/u;
const kinds = ['compositionstart', 'compositionupdate', 'compositionend'] as const;

/**
 * Tracks what an input method composes in a field. The line under it has the color of the field's letters, which are invisible while the
 * copy shows colors, so the copy draws the line. Japanese needs several kinds of line; there the field shows its own letters meanwhile.
 */
export class Composition {
  readonly #field: HTMLTextAreaElement;
  readonly #ending = new AbortController();
  #composed = '';

  /** @param changed called when the text may have changed without another event */
  constructor(field: HTMLTextAreaElement, changed: () => void) {
    this.#field = field;
    const { signal } = this.#ending;
    const update = ({ type, data }: CompositionEvent): void => {
      this.#composed = type === 'compositionend' ? '' : data;
      if (type === 'compositionend') changed();
    };
    for (const kind of kinds) field.addEventListener(kind, update, { signal });
  }

  get needsNativeLetters(): boolean {
    return converted.test(this.#composed);
  }

  /** Where the composed text is. It may begin before the caret with an existing word, because phones compose the word the caret touches. */
  place(): { from: number; to: number } | undefined {
    if (this.#composed === '') return undefined;
    const from = this.#field.value.lastIndexOf(this.#composed, this.#field.selectionEnd);
    return from === -1 ? undefined : { from, to: from + this.#composed.length };
  }

  close(): void {
    this.#ending.abort();
  }
}
