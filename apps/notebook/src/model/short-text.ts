import { invalid } from '../errors.ts';

/**
 * Reads a reader's text for a small field: with line endings normalized, and trimmed.
 * @throws Refusal `invalid`, naming `path`, when it has more than `most` characters
 */
export function readShortText(given: string, path: string, most: number): string {
  const text = given.trim();
  // No character and no line ending is longer than two units. An input sent in place of a few words may be megabytes, so it is not taken
  // apart.
  const tidied = text.length > 2 * most ? undefined : text.replace(/\r\n?/g, '\n');
  if (tidied === undefined || [...tidied].length > most) throw invalid(path, `must have at most ${most} characters`);
  return tidied;
}
