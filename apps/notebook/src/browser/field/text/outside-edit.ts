import { editQuietly } from './quiet-edit.ts';
import { replaceAll } from './text-edit.ts';

type MoveCaret = (before: string, after: string, caret: number) => number;

/**
 * Puts a text that was not typed here into the field as if it were, so that it can be undone. The caret stays beside the same letters
 * and the focus where it was.
 * @returns false, without a change, when it would disturb the person now
 */
export function replaceFromOutside(field: HTMLTextAreaElement, text: string, moveCaret: MoveCaret = keepPlace): boolean {
  const { value, selectionStart, selectionEnd } = field;
  const [start, end] = [selectionStart, selectionEnd].map(caret => moveCaret(value, text, caret)) as [number, number];
  return editQuietly(field, { start, end, make: undoable => (undoable ? replaceAll(field, text) : fill(field, text)) });
}

/** The last resort: it sets the text, but undo does not work. */
function fill(field: HTMLTextAreaElement, text: string): void {
  field.value = text;
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

const keepPlace: MoveCaret = (_before, after, caret) => Math.min(caret, after.length);
