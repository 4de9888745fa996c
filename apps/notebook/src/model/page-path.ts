import { limits } from '../limits.ts';

export const pagePathRule = `must be a relative path of a file, at most ${limits.maxPagePathChars} characters, without ".."`;

/** The ends of the names of Markdown files that an import, a push and an export know. */
export const markdownEnding = /\.(?:md|markdown|mdown|mkd)$/i;

/** The same for images. */
export const imageEnding = /\.(?:png|jpe?g|gif|webp|avif)$/i;

/** A file's path within the folder that it was imported from: `Projects/Alpha.md`. It must not lead out of a folder it is unpacked into. */
export function isPagePath(path: string): boolean {
  if (path.length > limits.maxPagePathChars || !path.isWellFormed() || /[\p{Cc}\\]|^[a-z]:/iu.test(path)) return false;
  return path.split('/').every(part => part !== '' && part !== '.' && part !== '..');
}

/**
 * Whether a page may be written to this path on a person's disk. Anyone with the edit token can choose the path, and programs obey files
 * with names such as `.envrc` or `Makefile`. An import accepts neither.
 */
export function isNotePath(path: string): boolean {
  return isHarmless(path) && markdownEnding.test(path);
}

/** The same for an image. */
export function isImagePath(path: string): boolean {
  return isHarmless(path) && imageEnding.test(path);
}

function isHarmless(path: string): boolean {
  return isPagePath(path) && !path.split('/').some(part => part.startsWith('.'));
}
