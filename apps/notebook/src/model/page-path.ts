import { limits } from '../limits.ts';

export const pagePathRule = `must be a relative path of a file, at most ${limits.maxPagePathChars} characters, without ".."`;

/** A file's path within the folder that it was imported from: `Projects/Alpha.md`. It must not lead out of a folder it is unpacked into. */
export function isPagePath(path: string): boolean {
  if (path.length > limits.maxPagePathChars || !path.isWellFormed() || /[\p{Cc}\\]|^[a-z]:/iu.test(path)) return false;
  return path.split('/').every(part => part !== '' && part !== '.' && part !== '..');
}
