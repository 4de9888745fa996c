import { rememberEdit } from './edit-memory.ts';
import { typeText } from './type-text.ts';

/** A text field's content with its selection. */
export interface FieldText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Replace `from`–`to` by `insert`, then select `start`–`end` of the new text. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  readonly start: number;
  readonly end: number;
}

export function readField(field: HTMLTextAreaElement): FieldText {
  return { text: field.value, start: field.selectionStart, end: field.selectionEnd };
}

/** Makes the edit as if it were typed. A read-only field takes no typing; it gets the text all the same. */
export function applyEdit(field: HTMLTextAreaElement, edit: TextEdit): void {
  field.focus();
  const before = readField(field);
  if (before.text.slice(edit.from, edit.to) !== edit.insert) {
    field.setSelectionRange(edit.from, edit.to);
    if (typeText(field, edit.insert)) rememberEdit(field, before, edit);
    else {
      field.setRangeText(edit.insert, edit.from, edit.to);
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }
  }
  field.setSelectionRange(edit.start, edit.end);
}

/** The whole text replaced, in one step of undo. Unchanged beginnings and ends are left alone, so the caret stays near. */
export function replaceAll(field: HTMLTextAreaElement, text: string): void {
  const old = field.value;
  if (old === text) return;
  let from = 0;
  while (from < old.length && from < text.length && old[from] === text[from]) from += 1;
  let tail = 0;
  while (tail < old.length - from && tail < text.length - from && old.at(-1 - tail) === text.at(-1 - tail)) tail += 1;
  const insert = text.slice(from, text.length - tail);
  applyEdit(field, { from, to: old.length - tail, insert, start: from, end: from });
}

/** A text field knows only `\n`; a text that came with others must not look changed because of that. */
export function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}
