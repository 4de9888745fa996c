/**
 * Replaces `glob` in the built program: the static file plugin would search folders with it, but is given its files by name
 * (built-files.ts).
 */
export function glob(): never {
  throw new Error('The built program has no glob.');
}
