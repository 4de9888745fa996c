import { changedPart } from './changed-part.ts';
import { rememberEdit } from './edit-memory.ts';
import type { FieldText, TextEdit } from './field-text.ts';
import { typeText } from './type-text.ts';

export function readField(field: HTMLTextAreaElement): FieldText {
  return { text: field.value, start: field.selectionStart, end: field.selectionEnd };
}

/** Makes the edit as if it were typed. A read-only field takes no typing, but gets the text all the same. */
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

/** Replaces the whole text in one undo step. The unchanged start and end are left alone, so that the caret stays near. */
export function replaceAll(field: HTMLTextAreaElement, text: string): void {
  const old = field.value;
  if (old === text) return;
  const changed = changedPart(old, text);
  applyEdit(field, { ...changed, start: changed.from, end: changed.from });
}
