import { replaceAll } from './text-edit.ts';

type MoveCaret = (before: string, after: string, caret: number) => number;

/**
 * A text that was not typed here goes into the field as if it were, so that it can be undone; the caret stays beside the same letters
 * and the focus where it was.
 */
export function replaceFromOutside(field: HTMLTextAreaElement, text: string, moveCaret: MoveCaret = keepPlace): void {
  const before = field.value;
  const [start, end] = [field.selectionStart, field.selectionEnd].map(caret => moveCaret(before, text, caret)) as [
    number,
    number,
  ];
  const { scrollTop, selectionDirection } = field;
  const focused = document.activeElement;
  if (takesFocus(field, focused)) replaceAll(field, text);
  else fill(field, text);
  field.setSelectionRange(start, end, selectionDirection);
  field.scrollTop = scrollTop;
  if (focused !== field && focused instanceof HTMLElement && focused !== document.body) focused.focus({ preventScroll: true });
}

/** A field that is hidden or behind a dialog takes no focus; and another field that is being filled in must not lose it. */
function takesFocus(field: HTMLTextAreaElement, focused: Element | null): boolean {
  if (focused !== field && (focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement)) return false;
  field.focus({ preventScroll: true });
  return document.activeElement === field;
}

function fill(field: HTMLTextAreaElement, text: string): void {
  field.value = text;
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

const keepPlace: MoveCaret = (_before, after, caret) => Math.min(caret, after.length);
