import { invalid } from '../errors.ts';

/**
 * What a reader wrote into a small field: line ends as we keep them, nothing around it.
 * @throws Refusal `invalid`, naming `path`, when it has more than `most` characters
 */
export function readShortText(given: string, path: string, most: number): string {
  const text = given.trim();
  // No character is longer than two units, nor is a line end. What is sent instead of a few words may be megabytes, and is not taken apart.
  const tidied = text.length > 2 * most ? undefined : text.replace(/\r\n?/g, '\n');
  if (tidied === undefined || [...tidied].length > most) throw invalid(path, `must have at most ${most} characters`);
  return tidied;
}
