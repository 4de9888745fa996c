import type { TextEdit } from './field-text.ts';
import { applyEdit } from './text-edit.ts';

/** What may change the field while it has the focus; made with the selection that shall stand afterwards. */
export interface QuietChange {
  readonly start: number;
  readonly end: number;
  /** @param undoable false when the field takes no focus, and so keeps no undo */
  make(undoable: boolean): void;
}

/**
 * Makes a change that the person did not ask for at this moment: undoable like any other, but focus, selection and scroll position
 * stay where they were.
 * @returns false when it would disturb: the person is typing elsewhere or in a dialog. The caller tries again later.
 */
export function quietly(field: HTMLTextAreaElement, change: QuietChange): boolean {
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
    giveBack(focused, field);
  }
  return true;
}

export function quietEdit(field: HTMLTextAreaElement, edit: TextEdit): QuietChange {
  return { start: edit.start, end: edit.end, make: undoable => (undoable ? applyEdit(field, edit) : setText(field, edit)) };
}

const typedInto =
  'textarea, select, [contenteditable], input:not([type="button"], [type="checkbox"], [type="radio"], [type="file"])';

/** Taking the focus out of a half-written title would send it off; a modal dialog does not let it go at all. */
function isBusyElsewhere(field: HTMLTextAreaElement): boolean {
  const focused = document.activeElement;
  if (document.querySelector('dialog:modal')) return true;
  return focused !== null && focused !== field && focused.matches(typedInto);
}

/** A field that is not shown (a phone's preview) takes no focus, and without focus there is no undo: it is shown for no frame. */
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

/** The last way: the text is right, its undo is not. */
function setText(field: HTMLTextAreaElement, { from, to, insert }: TextEdit): void {
  field.setRangeText(insert, from, to);
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

function giveBack(focused: Element | null, field: HTMLTextAreaElement): void {
  if (focused === field) return;
  if (focused instanceof HTMLElement && focused !== document.body) focused.focus({ preventScroll: true });
  else field.blur();
}
