import { invalid } from '../errors.ts';

/** Longer inputs are not counted: one sent in place of a few words may be megabytes. */
const countedUnits = 65_536;

/**
 * Reads a reader's text for a small field: with line endings normalized, and trimmed.
 * @throws Refusal `invalid`, naming `path`, when it has more than `most` characters
 */
export function readShortText(given: string, path: string, most: number): string {
  const text = given.trim();
  const chars = text.length > countedUnits ? undefined : countChars(text);
  if (chars === undefined) throw invalid(path, `must have at most ${most} characters`);
  if (chars > most) throw invalid(path, `must have at most ${most} characters; it has ${chars}`);
  return text.replace(/\r\n?/g, '\n');
}

/** A line ending is one. */
function countChars(text: string): number {
  let chars = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.codePointAt(at)! > 0xffff || (text[at] === '\r' && text[at + 1] === '\n')) at++;
    chars++;
  }
  return chars;
}
