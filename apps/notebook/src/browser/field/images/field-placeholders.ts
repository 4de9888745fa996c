import { type QuietChange, quietEdit, quietly } from '../text/quiet-edit.ts';
import { readField } from '../text/text-edit.ts';
import { type FreshInsertion, insertFresh, remake } from './fresh-insertion.ts';
import { findPlaceholders, hasPlaceholder, type Placed, replaceRange } from './placeholder.ts';

/** What came of the uploads. */
export interface Settled {
  /** By the placeholder's id the link that replaces it, or nothing when it failed. */
  readonly texts: ReadonlyMap<string, string>;
  /** A field behind another page's is left alone: its page's text is changed, and it takes that when it is shown. */
  isShown(): boolean;
  /** Replaced once already: should undo bring it back, it is left alone while redo could take it away again. */
  wasFilled(id: string): boolean;
  noticeFilled(id: string): void;
}

/** The placeholders in one page's field. Every change is an edit that the browser can undo. */
export class FieldPlaceholders {
  readonly field: HTMLTextAreaElement;
  readonly #settled: Settled;
  readonly #unlisten: () => void;
  #composing = false;
  #own = false;
  /** The last thing the person did was to undo or redo. */
  #inHistory = false;
  /** Our insertion, while nothing was typed anywhere after it. */
  #fresh: FreshInsertion | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(field: HTMLTextAreaElement, settled: Settled) {
    this.field = field;
    this.#settled = settled;
    this.#unlisten = this.#listen();
  }

  /** Removes the field's listeners; what could not be filled yet is the caller's, in the text. */
  close(): void {
    clearTimeout(this.#timer);
    this.#unlisten();
  }

  insert(text: string, place: { from: number; to: number }): void {
    this.#inHistory = false;
    this.#mine(() => {
      this.#fresh = insertFresh(this.field, text, place);
    });
  }

  /** Replaces what is settled. What would disturb the person now is tried again when they have moved. */
  fill(): void {
    if (this.#composing || this.field.readOnly || !this.#settled.isShown()) return;
    for (;;) {
      const placed = this.#nextToFill();
      if (!placed) return;
      const { change, ids } = this.#changeFor(placed);
      if (!this.#mine(() => quietly(this.field, change))) return;
      this.#inHistory = false;
      for (const id of ids) this.#settled.noticeFilled(id);
    }
  }

  /** Before nobody looks at the field any more: what undo brought back is filled as well. */
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
      const change = remake(this.field, fresh, texts, now => {
        this.#fresh = now;
      });
      return { change, ids: ids.filter(id => texts.has(id)) };
    }
    return {
      change: quietEdit(this.field, replaceRange(readField(this.field), placed, texts.get(placed.id)!)),
      ids: [placed.id],
    };
  }

  #mine<Answer>(make: () => Answer): Answer {
    this.#own = true;
    try {
      return make();
    } finally {
      this.#own = false;
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
    if (this.#own) return;
    this.#fresh = undefined;
    if (event.target !== this.field) return;
    this.#inHistory = event.inputType?.startsWith('history') ?? false;
    later();
  }
}
