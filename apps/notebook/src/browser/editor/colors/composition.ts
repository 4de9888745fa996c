/** Input methods that show by lines of their own under the text which part of it they convert. */
const converted = /[\p{sc=Hiragana}\p{sc=Katakana}]/u;
const kinds = ['compositionstart', 'compositionupdate', 'compositionend'] as const;

/**
 * What an input method is composing in a field. The line under it is painted in the color of the field's letters, which are not seen
 * while they are colored: so it is drawn with the copy. Japanese needs more than one line: there the field shows its own letters meanwhile.
 */
export class Composition {
  readonly #field: HTMLTextAreaElement;
  readonly #ending = new AbortController();
  #composed = '';

  /** @param changed the text may have changed without another event */
  constructor(field: HTMLTextAreaElement, changed: () => void) {
    this.#field = field;
    const { signal } = this.#ending;
    const hear = ({ type, data }: CompositionEvent): void => {
      this.#composed = type === 'compositionend' ? '' : data;
      if (type === 'compositionend') changed();
    };
    for (const kind of kinds) field.addEventListener(kind, hear, { signal });
  }

  get showsItsOwn(): boolean {
    return converted.test(this.#composed);
  }

  /** It may have begun before the caret, with a word that was there: phones compose what the caret comes to. */
  place(): { from: number; to: number } | undefined {
    if (this.#composed === '') return undefined;
    const from = this.#field.value.lastIndexOf(this.#composed, this.#field.selectionEnd);
    return from === -1 ? undefined : { from, to: from + this.#composed.length };
  }

  close(): void {
    this.#ending.abort();
  }
}
