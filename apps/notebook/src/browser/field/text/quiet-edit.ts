import type { TextEdit } from './field-text.ts';
import { applyEdit } from './text-edit.ts';

/** A change to the field, made while it has the focus, and the selection to set afterwards. */
export interface QuietChange {
  readonly start: number;
  readonly end: number;
  /** @param undoable false when the field cannot take the focus and so keeps no undo history */
  make(undoable: boolean): void;
}

/**
 * Makes a change that the person did not ask for at this moment. It can be undone like any other, but focus, selection and scroll
 * position stay as they were.
 * @returns false when it would disturb because the person is typing elsewhere or in a dialog; the caller must try again later
 */
export function editQuietly(field: HTMLTextAreaElement, change: QuietChange): boolean {
  if (isBusyElsewhere(field)) return false;
  const focused = document.activeElement;
  const { scrollTop, scrollLeft, selectionDirection } = field;
  const hide = reveal(field);
  try {
    field.focus({ preventScroll: true });
    change.make(document.activeElement === field);
    field.setSelectionRange(change.start, change.end, selectionDirection);
    field.scrollTo({ top: scrollTop, left: scrollLeft, behavior: 'instant' });
  } finally {
    hide();
    restoreFocus(focused, field);
  }
  return true;
}

export function quietEdit(field: HTMLTextAreaElement, edit: TextEdit): QuietChange {
  return { start: edit.start, end: edit.end, make: undoable => (undoable ? applyEdit(field, edit) : setText(field, edit)) };
}

const typedInto =
  'textarea, select, [contenteditable], input:not([type="button"], [type="checkbox"], [type="radio"], [type="file"])';

/** Taking the focus from a half-written title would submit it, and a modal dialog does not let the focus go at all. */
function isBusyElsewhere(field: HTMLTextAreaElement): boolean {
  const focused = document.activeElement;
  if (document.querySelector('dialog:modal')) return true;
  return focused !== null && focused !== field && focused.matches(typedInto);
}

/** A hidden field (in a phone's preview) cannot take the focus, which undo needs. It is displayed for less than a frame. */
function reveal(field: HTMLElement): () => void {
  const shown: HTMLElement[] = [];
  for (let element: HTMLElement | null = field; element; element = element.parentElement) {
    if (getComputedStyle(element).display !== 'none') continue;
    element.style.setProperty('display', 'block', 'important');
    shown.push(element);
  }
  return () => {
    for (const element of shown) element.style.removeProperty('display');
  };
}

/** The last resort: it sets the text, but undo does not work. */
function setText(field: HTMLTextAreaElement, { from, to, insert }: TextEdit): void {
  field.setRangeText(insert, from, to);
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

function restoreFocus(focused: Element | null, field: HTMLTextAreaElement): void {
  if (focused === field) return;
  if (focused instanceof HTMLElement && focused !== document.body) focused.focus({ preventScroll: true });
  else field.blur();
}
