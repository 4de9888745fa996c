/** Compares two secrets in a time that does not reveal where they differ. */
export function isSameText(left: string, right: string): boolean {
  let difference = left.length ^ right.length;
  for (let at = 0; at < left.length; at += 1) difference |= left.charCodeAt(at) ^ (right.charCodeAt(at) || 0);
  return difference === 0;
}
