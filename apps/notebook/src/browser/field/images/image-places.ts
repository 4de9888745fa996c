import type { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { FieldPlaceholders } from './field-placeholders.ts';
import { fillText, hasPlaceholder } from './placeholder.ts';

/** Where placeholders stand in a notebook: in the field of the page that is shown, and in the unsaved texts of all others. */
export class ImagePlaces {
  readonly #session: NotebookSession;
  readonly #texts = new Map<string, string>();
  readonly #filled = new Set<string>();
  readonly #onFilled: (id: string) => void;
  /** One for each page whose field is in the document; by the page's key: its id changes when it was added offline and is saved. */
  readonly #fields = new Map<string, FieldPlaceholders>();

  constructor(session: NotebookSession, onFilled: (id: string) => void) {
    this.#session = session;
    this.#onFilled = onFilled;
    // Another page shown, a restored snapshot, a merge, a decided conflict: any of them may bring a placeholder where no field sees it.
    session.listen(() => this.#texts.size > 0 && this.#fillHidden());
  }

  /** This field holds the text of this page, until the answer is called. */
  watch(field: HTMLTextAreaElement, page: EditorPage): () => void {
    const placeholders = new FieldPlaceholders(field, {
      texts: this.#texts,
      isShown: () => this.#session.current === page,
      wasFilled: id => this.#filled.has(id),
      noticeFilled: id => this.#notice(id),
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

  /** The field of the page that is shown. */
  get field(): HTMLTextAreaElement | undefined {
    return this.#shown?.field;
  }

  /** Nothing can be inserted while it is read-only. */
  get takesText(): boolean {
    return this.field?.readOnly === false;
  }

  get texts(): readonly string[] {
    return this.#session.pages.all.map(page => page.saver.text);
  }

  insert(text: string, place: { from: number; to: number }): void {
    this.#shown?.insert(text, place);
  }

  stands(id: string): boolean {
    return this.texts.some(text => hasPlaceholder(text, id));
  }

  /** Whether it stands anywhere, or would again: on the server, in a page that can be taken back, in a text that is offered. */
  isKept(id: string): boolean {
    const { pages, leftTexts } = this.#session;
    const all = [...pages.all, ...pages.deleted.all.map(({ page }) => page)];
    return (
      all.some(({ saver }) => hasPlaceholder(saver.text, id) || hasPlaceholder(saver.savedText, id)) ||
      leftTexts.some(({ markdown }) => hasPlaceholder(markdown, id))
    );
  }

  /**
   * From now on this placeholder becomes `text`, wherever and whenever it stands.
   * @returns false when it stands nowhere
   */
  settle(id: string, text: string): boolean {
    const stood = this.stands(id);
    this.#texts.set(id, text);
    this.#shown?.fill();
    this.#fillHidden();
    return stood;
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
