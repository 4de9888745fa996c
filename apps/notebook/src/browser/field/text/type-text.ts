import { trustEscapedText } from '../../device/trusted-types.ts';

/** From here on Chromium and WebKit take seconds, with the square of the lines: they type each as if Enter were pressed. */
const manyLines = 30;

/**
 * Replaces the selection as if it were typed: the editing commands are the only way that leaves the browser's own undo history whole.
 * @returns false when the field takes no typing
 */
export function typeText(field: HTMLTextAreaElement, text: string): boolean {
  // The commands act on whatever has the focus: a field behind another page's, or behind a dialog, gets none.
  if (document.activeElement !== field) return false;
  if (text === '') return document.execCommand('delete');
  return (
    (text.split('\n', manyLines).length === manyLines && typeAtOnce(field, text)) ||
    document.execCommand('insertText', false, text)
  );
}

/**
 * Chromium and WebKit take many lines at once as html, in a hundredth of the time; Firefox refuses here and is quick by itself.
 * What came of it is looked at, because WebKit swallows a last line feed.
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
