import { copyText } from '../../device/copy-text.ts';
import { replaceRange } from '../images/placeholder.ts';
import type { FieldText, TextEdit } from '../text/field-text.ts';
import type { FieldContext } from '../text/field-wiring.ts';
import { editQuietly, quietEdit } from '../text/quiet-edit.ts';
import { applyEdit, readField } from '../text/text-edit.ts';
import { TrackedRange } from './tracked-range.ts';

/** A paste that goes in once it is ready: its text, which may need time and a person's answer, and the edit that inserts it. */
export interface PendingPaste {
  /** Resolves to undefined if nothing should go in. */
  readonly content: () => Promise<string | undefined>;
  readonly edit: (now: FieldText, content: string) => TextEdit;
  /** The text of the page's draft until then, in case the window is closed. */
  readonly draft?: string;
}

/**
 * Pastes of one page that are not in its text yet. Each lands where it was pasted, in the order of the pastes, even if the person writes
 * on, goes to another field or page, or composes meanwhile. The focus stays where it is.
 */
export class PendingPastes {
  readonly #field: HTMLTextAreaElement;
  readonly #context: FieldContext;
  readonly #waiting = new Set<TrackedRange>();
  readonly #closing = new AbortController();
  #last: Promise<void> = Promise.resolve();
  #composing = false;

  constructor(field: HTMLTextAreaElement, context: FieldContext) {
    this.#field = field;
    this.#context = context;
    const on = (kind: string, listener: () => void): void =>
      field.addEventListener(kind, listener, { signal: this.#closing.signal });
    on('input', () => {
      for (const place of this.#waiting) place.follow(field.value);
    });
    on('compositionstart', () => {
      this.#composing = true;
    });
    for (const kind of ['compositionend', 'blur'])
      on(kind, () => {
        this.#composing = false;
      });
  }

  /** Called when the field goes away. Pastes that have not landed still go into the page's text. */
  close(): void {
    this.#composing = false;
    this.#closing.abort();
  }

  add(at: FieldText, { content, edit, draft }: PendingPaste): void {
    const place = new TrackedRange(at);
    this.#waiting.add(place);
    const { session, page } = this.#context;
    const endDraft = draft && page.saver.awaited.add(text => place.putInto(text, draft, session.merging?.moveCaret));
    const ready = content();
    this.#last = this.#last.then(async () => {
      const text = await ready.catch(() => undefined);
      if (text) await this.#compositionEnd();
      this.#waiting.delete(place);
      if (endDraft) endDraft();
      if (text) this.#insert(place, now => edit(now, text), text);
    });
  }

  /** Changing the text breaks a composition. The last `input` event comes shortly before or after its end. */
  async #compositionEnd(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#composing && !signal.aborted)
      await new Promise<void>(resolve => {
        const go = (): unknown => setTimeout(resolve);
        for (const kind of ['compositionend', 'blur']) this.#field.addEventListener(kind, go, { once: true });
        signal.addEventListener('abort', go, { once: true });
      });
  }

  #insert(place: TrackedRange, edit: (now: FieldText) => TextEdit, content: string): void {
    const { session, page } = this.#context;
    const refusal = this.#refusal();
    if (refusal !== undefined) this.#offer(content, refusal);
    else if (session.current !== page || !this.#field.isConnected || !this.#insertIntoField(place, edit))
      this.#insertIntoPage(place, edit);
  }

  /** @returns false if that would disturb the person now */
  #insertIntoField(place: TrackedRange, edit: (now: FieldText) => TextEdit): boolean {
    const field = this.#field;
    const now = readField(field);
    place.follow(now.text);
    const { start, end } = place.now;
    const made = edit(place.now);
    const isUntouched = now.start === start && now.end === end;
    if (isUntouched && document.activeElement === field) {
      this.#moveWaiting(made);
      applyEdit(field, made);
      return true;
    }
    const change = quietEdit(field, isUntouched ? made : replaceRange(now, made, made.insert));
    const make = (undoable: boolean): void => {
      this.#moveWaiting(made);
      change.make(undoable);
    };
    return editQuietly(field, { ...change, make });
  }

  /** The field takes the change from there once it is shown, or once that no longer disturbs the person. */
  #insertIntoPage(place: TrackedRange, edit: (now: FieldText) => TextEdit): void {
    const { session, page } = this.#context;
    const { text } = page.saver;
    const moveCaret = session.merging?.moveCaret;
    for (const each of [place, ...this.#waiting]) each.follow(text, moveCaret);
    const made = edit(place.now);
    this.#moveWaiting(made);
    const changed = text.slice(0, made.from) + made.insert + text.slice(made.to);
    if (session.pages.all.includes(page)) session.pages.changeText(page.id, changed);
    else page.saver.change(changed);
  }

  /** Called before the text changes, so that the waiting pastes do not mistake the insertion for typing. */
  #moveWaiting(made: TextEdit): void {
    for (const later of this.#waiting) later.moveBehind(made);
  }

  /** Why the page cannot take a paste; undefined if it can. */
  #refusal(): string | undefined {
    const { session, page } = this.#context;
    const { all, deleted } = session.pages;
    if (!all.includes(page) && !deleted.all.some(other => other.page === page)) return 'the page was deleted';
    return session.notebook.readOnly ? 'the notebook is read-only now' : undefined;
  }

  #offer(content: string, refusal: string): void {
    const { notes } = this.#context.session;
    const name = `pasted ${content.length} ${Date.now()}`;
    const run = (): void => void copyText(content).then(copied => copied && notes.dismiss(name));
    const text = `What you pasted is not in “${this.#context.page.name}”: ${refusal}.`;
    notes.show({ name, tone: 'warning', text, action: { label: 'Copy it', run } });
  }
}
