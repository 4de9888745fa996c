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

/** Puts block Markdown on its own lines. */
export function markdownPaste({ text, start, end }: FieldText, markdown: string): TextEdit {
  const isBlock = markdown.includes('\n') || /^(?:#{1,6} |[-*+] |\d+\. |> |---$)/.test(markdown);
  const before = isBlock && text.slice(lineStart(text, start), start).trim() !== '' ? '\n\n' : '';
  const after = isBlock && text.slice(end, lineEnd(text, end)).trim() !== '' ? '\n\n' : '';
  const caret = start + before.length + markdown.length;
  return { from: start, to: end, insert: before + markdown + after, start: caret, end: caret };
}

export function plainPaste({ start, end }: FieldText, insert: string): TextEdit {
  const caret = start + insert.length;
  return { from: start, to: end, insert, start: caret, end: caret };
}
