import type { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { FieldPlaceholders } from './field-placeholders.ts';
import { fillText, hasPlaceholder } from './placeholder.ts';

/** Finds and fills placeholders in a notebook: in the field of the page shown, and in the texts of all other pages. */
export class ImagePlaces {
  readonly #session: NotebookSession;
  readonly #texts = new Map<string, string>();
  readonly #filled = new Set<string>();
  readonly #onFilled: (id: string) => void;
  /** One for each page whose field is in the document, by the page's key, because the id changes when a page added offline is saved. */
  readonly #fields = new Map<string, FieldPlaceholders>();

  constructor(session: NotebookSession, onFilled: (id: string) => void) {
    this.#session = session;
    this.#onFilled = onFilled;
    // A page switch, a restored snapshot, a merge or a decided conflict may bring in a placeholder that no field sees.
    session.listen(() => this.#texts.size > 0 && this.#fillHidden());
  }

  /** Watches the field of a page. @returns a function that ends the watching */
  watch(field: HTMLTextAreaElement, page: EditorPage): () => void {
    const placeholders = new FieldPlaceholders(field, {
      texts: this.#texts,
      isShown: () => this.#session.current === page,
      wasFilled: id => this.#filled.has(id),
      noteFilled: id => this.#notice(id),
    });
    this.#fields.set(page.key, placeholders);
    return () => {
      placeholders.close();
      if (this.#fields.get(page.key) === placeholders) this.#fields.delete(page.key);
      this.#fillSaver(page);
    };
  }

  get #shown(): FieldPlaceholders | undefined {
    return this.#fields.get(this.#session.current.key);
  }

  /** The field of the page shown. */
  get field(): HTMLTextAreaElement | undefined {
    return this.#shown?.field;
  }

  /** False while the field is read-only and nothing can be inserted. */
  get acceptsText(): boolean {
    return this.field?.readOnly === false;
  }

  get texts(): readonly string[] {
    return this.#session.pages.all.map(page => page.saver.text);
  }

  insert(text: string, place: { from: number; to: number }): void {
    this.#shown?.insert(text, place);
  }

  isInText(id: string): boolean {
    return this.texts.some(text => hasPlaceholder(text, id));
  }

  /** Whether the placeholder is in any text, or may come back: from the server, a deletion that can be undone, or an offered text. */
  isKept(id: string): boolean {
    const { pages, orphanedTexts } = this.#session;
    const all = [...pages.all, ...pages.deleted.all.map(({ page }) => page)];
    return (
      all.some(({ saver }) => hasPlaceholder(saver.text, id) || hasPlaceholder(saver.savedText, id)) ||
      orphanedTexts.some(({ markdown }) => hasPlaceholder(markdown, id))
    );
  }

  /**
   * Replaces this placeholder by `text` from now on, wherever and whenever it appears.
   * @returns false when it was in no text
   */
  settle(id: string, text: string): boolean {
    const wasInText = this.isInText(id);
    this.#texts.set(id, text);
    this.#shown?.fill();
    this.#fillHidden();
    return wasInText;
  }

  #fillHidden(): void {
    for (const page of this.#session.pages.all) if (page !== this.#session.current || !this.#shown) this.#fillSaver(page);
  }

  #fillSaver(page: EditorPage): void {
    const settled = [...this.#texts.keys()].filter(id => hasPlaceholder(page.saver.text, id));
    if (settled.length === 0) return;
    page.saver.change(fillText(page.saver.text, this.#texts));
    for (const id of settled) this.#notice(id);
  }

  #notice(id: string): void {
    this.#filled.add(id);
    this.#onFilled(id);
  }
}
