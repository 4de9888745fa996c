/** Puts a backslash before characters that Markdown would read as marks. Addresses are left as they are. */
export function escapeWords(words: string): string {
  let written = '';
  let at = 0;
  for (const address of words.matchAll(/\b(?:https?:\/\/|www\.(?=[\p{L}\p{N}]))[^\s<>]+/giu)) {
    written += escapeMarks(words.slice(at, address.index)) + address[0];
    at = address.index + address[0].length;
  }
  return written + escapeMarks(words.slice(at));
}

function escapeMarks(words: string): string {
  const escaped = words
    // At the end, because a mark or a closing bracket may follow.
    .replaceAll(/\\(?=[!-/:-@[-`{-~]|$)/g, '\\\\')
    .replaceAll('`', '\\`')
    .replaceAll(/(?<!\s)\*|\*(?!\s)/g, '\\*')
    .replaceAll(/(?<![\p{L}\p{N}\s])_|_(?![\p{L}\p{N}\s])|(?<=\s|^)_(?=\S)|(?<=\S)_(?=\s|$)/gu, '\\_')
    .replaceAll(/\[(?=[^[\]]*\](?:[([:]|$))|\[(?=[\^!])|\[(?=[ xX]\]\s)/g, '\\[')
    .replaceAll(/<(?=[a-z/!?])/gi, '\\<')
    // One tilde is enough to strike words, but none that follows a space ends there.
    .replaceAll(/~(?=~)|(?<=\S|^)~/g, '\\~')
    .replaceAll(/(?<![\p{L}\p{N}_=])==(?=[^\s=])/gu, '\\==')
    .replaceAll(/(?<![\w:]):(?=[a-z0-9_+-]{1,40}:)/g, '\\:')
    .replaceAll(/&(?=#?\w+;)/g, '&amp;');
  // A single `$` opens no formula.
  return words.indexOf('$') === words.lastIndexOf('$') ? escaped : escaped.replaceAll(/\$(?=\S)/g, '\\$');
}

/** Escapes the characters that are marks only at the start of a line. */
export function escapeLineStart(line: string): string {
  return line
    .replace(/^(?=#{1,6}(?:\s|$)|>|[-+](?:\s|$)|\*\s|(?:=+|-+)\s*$|~~~|\|)/, '\\')
    .replace(/^(\d{1,9})(?=[.)](?:\s|$))/, '$1\\');
}
