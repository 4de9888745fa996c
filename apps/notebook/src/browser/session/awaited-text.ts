type Insert = (text: string) => string;

/** Words on their way into a page's text: pastes that are being converted. Its drafts hold them already, because the window may be closed. */
export class AwaitedText {
  readonly #inserts = new Set<Insert>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get isEmpty(): boolean {
    return this.#inserts.size === 0;
  }

  /** @returns a function that ends the waiting */
  add(insert: Insert): () => void {
    this.#inserts.add(insert);
    this.#onChange();
    return () => {
      if (this.#inserts.delete(insert)) this.#onChange();
    };
  }

  /** The last go in first, so that those before them at the same place come before them in the text. */
  putInto(text: string): string {
    return [...this.#inserts].reduceRight((now, insert) => insert(now), text);
  }
}
