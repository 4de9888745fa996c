/** Stands for `glob` in the built program: what serves files would search folders with it, and is told its files by name (built-files.ts). */
export function glob(): never {
  throw new Error('The built program has no glob.');
}
