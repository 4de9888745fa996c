import type { FieldText, TextEdit } from '../text/field-text.ts';
import { changeLines } from './field-lines.ts';

const step = '  ';

/** Tab inserts two spaces at the caret, or moves every line of a selection one step in (spec 1 §1.6). */
export function indent(field: FieldText): TextEdit {
  const { start, end } = field;
  if (start === end) return { from: start, to: end, insert: step, start: start + step.length, end: start + step.length };
  return changeLines(field, line => (line === '' ? '' : step + line));
}

/** Shift+Tab moves every touched line one step out; a tab counts as one step. Undefined when no line can move. */
export function outdent(field: FieldText): TextEdit | undefined {
  const edit = changeLines(field, line => line.replace(/^(?: {1,2}|\t)/, ''));
  return field.text.slice(edit.from, edit.to) === edit.insert ? undefined : edit;
}
