import { carryOver } from './text/changed-part.ts';
import type { FieldContext } from './text/field-wiring.ts';
import { replaceFromOutside } from './text/outside-edit.ts';

/** Keeps a field in step with its page's text when that changes from outside. */
export class FieldFollower {
  readonly #field: HTMLTextAreaElement;
  readonly #context: FieldContext;
  /** The page's text when field and page last matched. */
  #synced: string;
  readonly #ends: (() => void)[] = [];
  #releasing: ReturnType<typeof setTimeout> | undefined;

  constructor(field: HTMLTextAreaElement, context: FieldContext) {
    this.#field = field;
    this.#context = context;
    this.#synced = field.value;
    const { saver } = context.page;
    // Changing the text breaks an input method's composition, and its last input event may come just before or after it ends.
    const release = (): void => {
      clearTimeout(this.#releasing);
      this.#releasing = setTimeout(() => saver.release());
    };
    this.#on('compositionstart', () => {
      // Korean keyboards begin the next syllable the moment they end one.
      clearTimeout(this.#releasing);
      saver.hold();
    });
    this.#on('compositionend', release);
    this.#on('blur', release);
  }

  /** Puts the page's text into the field as if typed. If that would disturb the person it does nothing, and the caller tries again. */
  take(): void {
    const { page, session } = this.#context;
    const { text } = page.saver;
    if (this.#field.value === text) return;
    const before = this.#synced;
    this.#synced = text;
    if (!replaceFromOutside(this.#field, text, session.merging?.moveCaret)) this.#synced = before;
  }

  /** Returns the page's text after an input. It merges in outside changes that the field has not taken yet, so that they are not lost. */
  typed(): string {
    const { value } = this.#field;
    const { page, session } = this.#context;
    const { text } = page.saver;
    const before = this.#synced;
    this.#synced = value;
    if (text === before || text === value) return value;
    const { merging } = session;
    // The merging code has not loaded, or could not be loaded.
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
