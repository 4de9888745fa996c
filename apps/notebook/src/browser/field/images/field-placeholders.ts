import { editQuietly, type QuietChange, quietEdit } from '../text/quiet-edit.ts';
import { readField } from '../text/text-edit.ts';
import { type FreshInsertion, insertFresh, replaceInsertion } from './fresh-insertion.ts';
import { findPlaceholders, hasPlaceholder, type Placed, replaceRange } from './placeholder.ts';

/** The results of the uploads. */
export interface Settled {
  /** The link that replaces each placeholder, by the placeholder's id. Empty when the upload failed. */
  readonly texts: ReadonlyMap<string, string>;
  /** False for a field behind another page's. It is left alone: its page's text is changed, and the field takes that when it is shown. */
  isShown(): boolean;
  /** True when the placeholder was replaced before. If undo brings it back it is left alone while redo could remove it again. */
  wasFilled(id: string): boolean;
  noteFilled(id: string): void;
}

/** The placeholders in one page's field. Every change is an edit that the browser can undo. */
export class FieldPlaceholders {
  readonly field: HTMLTextAreaElement;
  readonly #settled: Settled;
  readonly #unlisten: () => void;
  #composing = false;
  #isOwnEdit = false;
  /** True when the person's last action was undo or redo. */
  #inHistory = false;
  /** Our insertion, as long as nothing was typed anywhere after it. */
  #fresh: FreshInsertion | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(field: HTMLTextAreaElement, settled: Settled) {
    this.field = field;
    this.#settled = settled;
    this.#unlisten = this.#listen();
  }

  /** Removes the field's listeners. The caller must fill in the page's text what could not be filled here yet. */
  close(): void {
    clearTimeout(this.#timer);
    this.#unlisten();
  }

  insert(text: string, place: { from: number; to: number }): void {
    this.#inHistory = false;
    this.#asOwnEdit(() => {
      this.#fresh = insertFresh(this.field, text, place);
    });
  }

  /** Replaces settled placeholders. What would disturb the person now is tried again when the focus has moved. */
  fill(): void {
    if (this.#composing || this.field.readOnly || !this.#settled.isShown()) return;
    for (;;) {
      const placed = this.#nextToFill();
      if (!placed) return;
      const { change, ids } = this.#changeFor(placed);
      if (!this.#asOwnEdit(() => editQuietly(this.field, change))) return;
      this.#inHistory = false;
      for (const id of ids) this.#settled.noteFilled(id);
    }
  }

  /** Called before the page is hidden: fills placeholders that undo brought back as well. */
  fillAll(): void {
    this.#inHistory = false;
    this.fill();
  }

  #nextToFill(): Placed | undefined {
    return findPlaceholders(this.field.value).find(({ id }) => {
      if (!this.#settled.texts.has(id)) return false;
      return !(this.#inHistory && this.#settled.wasFilled(id));
    });
  }

  #changeFor(placed: Placed): { change: QuietChange; ids: string[] } {
    const { texts } = this.#settled;
    const fresh = this.#fresh;
    this.#fresh = undefined;
    if (fresh && fresh.textAfter === this.field.value && hasPlaceholder(fresh.insert, placed.id)) {
      const ids = findPlaceholders(fresh.insert).map(({ id }) => id);
      const change = replaceInsertion(this.field, fresh, texts, now => {
        this.#fresh = now;
      });
      return { change, ids: ids.filter(id => texts.has(id)) };
    }
    return {
      change: quietEdit(this.field, replaceRange(readField(this.field), placed, texts.get(placed.id)!)),
      ids: [placed.id],
    };
  }

  #asOwnEdit<Answer>(make: () => Answer): Answer {
    this.#isOwnEdit = true;
    try {
      return make();
    } finally {
      this.#isOwnEdit = false;
    }
  }

  #listen(): () => void {
    const ends: (() => void)[] = [];
    const on = (target: EventTarget, kind: string, listener: (event: Event) => void, capture = true): void => {
      target.addEventListener(kind, listener, { capture });
      ends.push(() => target.removeEventListener(kind, listener, { capture }));
    };
    const later = (): void => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.fill());
    };
    on(document, 'input', event => this.#noticeInput(event as InputEvent, later));
    on(this.field, 'compositionstart', () => {
      this.#composing = true;
    });
    on(this.field, 'compositionend', () => {
      this.#composing = false;
      later();
    });
    on(document, 'focusin', later);
    on(document, 'close', later);
    on(document, 'visibilitychange', () => document.visibilityState === 'hidden' && this.fillAll());
    return () => {
      for (const end of ends) end();
    };
  }

  #noticeInput(event: InputEvent, later: () => void): void {
    if (this.#isOwnEdit) return;
    this.#fresh = undefined;
    if (event.target !== this.field) return;
    this.#inHistory = event.inputType?.startsWith('history') ?? false;
    later();
  }
}
