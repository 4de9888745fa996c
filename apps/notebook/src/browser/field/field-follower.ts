import { carryOver } from './text/changed-part.ts';
import type { FieldContext } from './text/field-wiring.ts';
import { replaceFromOutside } from './text/outside-edit.ts';

/** Keeps a field and the text of its page the same when the text changes from outside. */
export class FieldFollower {
  readonly #field: HTMLTextAreaElement;
  readonly #context: FieldContext;
  /** The page's text when field and page were last the same. */
  #synced: string;
  readonly #ends: (() => void)[] = [];
  #releasing: ReturnType<typeof setTimeout> | undefined;

  constructor(field: HTMLTextAreaElement, context: FieldContext) {
    this.#field = field;
    this.#context = context;
    this.#synced = field.value;
    const { saver } = context.page;
    // Text that changes under an input method breaks what is being composed; its last input comes around the end.
    const release = (): void => {
      clearTimeout(this.#releasing);
      this.#releasing = setTimeout(() => saver.release());
    };
    this.#on('compositionstart', () => {
      // Korean keyboards begin the next syllable in the same moment as they end one.
      clearTimeout(this.#releasing);
      saver.hold();
    });
    this.#on('compositionend', release);
    this.#on('blur', release);
  }

  /** The page's text goes into the field, as if typed; not while that would disturb: then the caller tries again. */
  take(): void {
    const { page, session } = this.#context;
    const { text } = page.saver;
    if (this.#field.value === text) return;
    const before = this.#synced;
    this.#synced = text;
    if (!replaceFromOutside(this.#field, text, session.merging?.moveCaret)) this.#synced = before;
  }

  /** What the page's text is after an input. The field may not have taken yet what came meanwhile: that must not be undone by it. */
  typed(): string {
    const { value } = this.#field;
    const { page, session } = this.#context;
    const { text } = page.saver;
    const before = this.#synced;
    this.#synced = value;
    if (text === before || text === value) return value;
    const { merging } = session;
    // Its code was not fetched, or not yet.
    if (!merging) return carryOver(before, value, text);
    return merging.mergeTexts(before, value, text) ?? merging.keepBoth(before, value, text);
  }

  end(): void {
    clearTimeout(this.#releasing);
    this.#context.page.saver.release();
    for (const end of this.#ends) end();
  }

  #on(event: string, listener: () => unknown): void {
    this.#field.addEventListener(event, listener);
    this.#ends.push(() => this.#field.removeEventListener(event, listener));
  }
}
