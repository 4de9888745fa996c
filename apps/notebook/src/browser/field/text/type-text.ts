import { trustEscapedText } from '../../device/trusted-types.ts';

/** From this many lines Chromium and WebKit take seconds, growing with the square of the lines: they type each as if with Enter. */
const manyLines = 30;

/**
 * Replaces the selection as if it were typed. Only the editing commands keep the browser's own undo history intact.
 * @returns false when the field takes no typing
 */
export function typeText(field: HTMLTextAreaElement, text: string): boolean {
  // The commands act on the focused element, and a field behind another page's or behind a dialog cannot be focused.
  if (document.activeElement !== field) return false;
  if (text === '') return document.execCommand('delete');
  return (
    (text.split('\n', manyLines).length === manyLines && typeAtOnce(field, text)) ||
    document.execCommand('insertText', false, text)
  );
}

/**
 * Chromium and WebKit take many lines at once as HTML, in a hundredth of the time. Firefox refuses this command but is fast without it.
 * The result is checked, because WebKit swallows a final line feed.
 */
function typeAtOnce(field: HTMLTextAreaElement, text: string): boolean {
  const { value, selectionStart, selectionEnd } = field;
  const wanted = value.slice(0, selectionStart) + text + value.slice(selectionEnd);
  const attempts = text.endsWith('\n') ? [text, `${text}\n`] : [text];
  for (const attempt of attempts) {
    if (!document.execCommand('insertHTML', false, trustEscapedText(attempt))) return false;
    if (field.value === wanted) return true;
    document.execCommand('undo');
    if (field.value !== value) field.value = value;
    field.setSelectionRange(selectionStart, selectionEnd);
  }
  return false;
}
