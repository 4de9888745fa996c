import { lineEnd, lineStart } from '../formatting/field-lines.ts';
import { isWebAddress, linkTo } from '../formatting/link.ts';
import type { FieldText, TextEdit } from '../text/field-text.ts';

/** An address pasted over selected words links them. Over another address, or where one belongs, it only replaces the selection. */
export function isLinkPaste({ text, start, end }: FieldText, pasted: string): boolean {
  const chosen = text.slice(start, end);
  if (chosen.trim() === '' || /\n[^\S\n]*\n/.test(chosen) || !isWebAddress(pasted.trim())) return false;
  return !isWebAddress(chosen.trim()) && text.slice(0, start).match(/(?:\]\(|<|["'=])$/) === null;
}

export function linkPaste(field: FieldText, pasted: string): TextEdit {
  return linkTo(field, pasted.trim());
}

/** A line that begins a block of its own, whatever is above it. */
const blockStart = /^\s*(?:[-*+] |\d{1,9}[.)] |#{1,6} |[>|<]|`{3}|~{3})/;

/**
 * Puts block Markdown on its own lines. Words directly below would become a row of its table or go on in its last item or quote, and words
 * directly above a divider would become a heading.
 */
export function markdownPaste({ text, start, end }: FieldText, markdown: string): TextEdit {
  const isBlock = markdown.includes('\n') || /^(?:#{1,6} |[-*+] |\d+\. |> |---$)/.test(markdown);
  const [lineFrom, lineTo] = [lineStart(text, start), lineEnd(text, end)];
  const above = lineFrom === 0 ? '' : text.slice(lineStart(text, lineFrom - 1), lineFrom - 1);
  const below = text.slice(lineTo + 1, lineEnd(text, lineTo + 1));
  const apart = (needed: boolean, feeds: string): string => (isBlock && needed ? feeds : '');
  const before =
    apart(text.slice(lineFrom, start).trim() !== '', '\n\n') || apart(/^---(?:\n|$)/.test(markdown) && above.trim() !== '', '\n');
  const after =
    apart(text.slice(end, lineTo).trim() !== '', '\n\n') || apart(below.trim() !== '' && !blockStart.test(below), '\n');
  const caret = start + before.length + markdown.length;
  return { from: start, to: end, insert: before + markdown + after, start: caret, end: caret };
}

export function plainPaste({ start, end }: FieldText, insert: string): TextEdit {
  const caret = start + insert.length;
  return { from: start, to: end, insert, start: caret, end: caret };
}
