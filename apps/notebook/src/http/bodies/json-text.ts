const [backslash, u] = [92, 117];

/** The longest escape is `\u` with four digits. */
const escapeBytes = 6;

const isInsideCharacter = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/**
 * Where a part of a JSON text may end so that both parts are valid when the whole is: not inside an escape, nor inside a character of UTF-8.
 * @param from where an escape or a character begins
 * @param most more than eight bytes after `from` and before the text's end; the part ends here, or up to eight bytes before
 */
export function cutText(body: Buffer, from: number, most: number): number {
  let at = most;
  while (at > from && at > most - 3 && isInsideCharacter(body[at])) at -= 1;
  for (let start = at - 1; start >= from && start > at - escapeBytes; start -= 1) {
    if (body[start] !== backslash) continue;
    let run = 1;
    while (start - run >= from && body[start - run] === backslash) run += 1;
    const isEscape = run % 2 === 1;
    const length = body[start + 1] === u ? escapeBytes : 2;
    return isEscape && start + length > at ? start : at;
  }
  return at;
}
